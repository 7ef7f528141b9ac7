//! The C function for NCCL, compiled against declarations of the functions that it uses.

use std::fs;
use std::process::Command;

use lockstep_export::{Connections, Export, ExportOptions, Placement, Runtime, format_named};
use lockstep_schedule::strategy::{Instance, random_schedule};
use lockstep_schedule::{Collective, CommunicationModel};

const CUDA: &str = "
typedef struct stream *cudaStream_t;
typedef enum { cudaSuccess, cudaErrorUnknown } cudaError_t;
enum cudaMemcpyKind { cudaMemcpyDeviceToDevice = 3 };
cudaError_t cudaMemcpyAsync(void *to, const void *from, __SIZE_TYPE__ count, enum cudaMemcpyKind kind, cudaStream_t stream);
";

const NCCL: &str = "
#include <stddef.h>
typedef struct communicator *ncclComm_t;
typedef enum { ncclSuccess, ncclUnhandledCudaError, ncclInvalidArgument = 4 } ncclResult_t;
typedef enum { ncclInt8 } ncclDataType_t;
ncclResult_t ncclCommUserRank(const ncclComm_t comm, int *rank);
ncclResult_t ncclCommCount(const ncclComm_t comm, int *count);
ncclResult_t ncclGroupStart(void);
ncclResult_t ncclGroupEnd(void);
ncclResult_t ncclSend(const void *from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream);
ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream);
";

#[test]
#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn the_function_compiles() {
    if !Command::new("cc").arg("--version").output().is_ok_and(|output| output.status.success()) {
        eprintln!("skipped: cc is missing; install a C compiler");
        return;
    }
    let topology = "hypercube:3".parse().expect("a network");
    let instance =
        Instance { topology, collective: Collective::all_reduce(), model: CommunicationModel::store_and_forward() };
    let schedule = random_schedule(&instance.problem(), 1);
    let options = ExportOptions {
        placement: Placement::OutOfPlace,
        connections: Connections::Direct,
        runtime: Runtime::Rccl,
        bytes: 1,
        sizes: [0, 0],
    };
    let export = Export { problem: instance.problem(), schedule: &schedule, options };
    let files = format_named("nccl-c").expect("a format").write(&export).expect("an export");
    let folder = tempfile::tempdir().expect("a folder");
    let texts = [("cuda_runtime_api.h", CUDA.as_bytes()), ("nccl.h", NCCL.as_bytes()), ("plan.c", &files[0].contents)];
    for (name, contents) in texts {
        fs::write(folder.path().join(name), contents).expect("the folder can be written");
    }
    let mut command = Command::new("cc");
    command.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I"]).arg(folder.path());
    let output = command.arg(folder.path().join("plan.c")).output().expect("the compiler starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
