//! The format `nccl-topo`: the topology of a machine as NCCL or RCCL dumps it, and as clouds prepare it for NCCL.
//!
//! # Grammar
//!
//! `<system>` contains a `<cpu>` per NUMA node. A `<cpu>` or a `<pci>` switch contains `<pci>` devices; a device contains
//! `<gpu>` or `<nic>`. A `<gpu>` contains `<nvlink target= count= tclass=>`, `<xgmi target= count= tclass=>` in RCCL, and
//! `<c2c bw= count=>`, a `<nic>` contains `<net name= dev= speed= latency=>`, a `<pci>` also `<pcilink target=>`. The input of
//! `NCCL_TOPO_FILE` that clouds ship has no `<gpu>`: NCCL adds it with its links when it runs.
//!
//! # Source
//!
//! `src/graph/xml.cc`, `src/graph/topo.cc` and `src/graph/topo.h` of github.com/NVIDIA/nccl and of github.com/ROCm/rccl,
//! whose bandwidths these are. NCCL also merges two levels of Broadcom switches; here they stay apart.

mod bandwidths;
mod device_class;
mod links;
mod reader;
mod similar_specs;

pub(super) use self::reader::read;
