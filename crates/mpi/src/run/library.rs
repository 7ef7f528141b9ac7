//! The collectives of the MPI library, for comparison.

use lockstep::{CollectiveName, Problem};
use mpi::collective::{CommunicatorCollectives, Root, SystemOperation};
use mpi::topology::{Communicator, SimpleCommunicator};

/// A collective of the MPI library with buffers of its own.
pub(super) struct LibraryCollective {
    collective: CollectiveName,
    /// The rank of the root; 0 without a root.
    root: i32,
    send: Vec<u64>,
    receive: Vec<u64>,
}

impl LibraryCollective {
    /// Returns the collective of a problem, for chunks of this number of elements.
    pub(super) fn new(collective: CollectiveName, problem: &Problem<'_>, chunk: usize) -> Self {
        let topology = problem.topology();
        let ranks = topology.terminal_count();
        let root = problem.collective().root().and_then(|root| topology.terminal_rank(root));
        let message = problem.messages().chunks() as usize * chunk;
        let [send, receive] = match collective {
            CollectiveName::Broadcast => [0, message],
            CollectiveName::Scatter | CollectiveName::ReduceScatter => [ranks * message, message],
            CollectiveName::Gather | CollectiveName::AllGather => [message, ranks * message],
            CollectiveName::Reduce => [message, message],
            CollectiveName::AllReduce => [problem.messages().len() * chunk; 2],
            _ => [ranks * message; 2],
        };
        let root = root.unwrap_or(0) as i32;
        Self { collective, root, send: vec![1; send], receive: vec![0; receive] }
    }

    /// Returns the name of the function.
    pub(super) fn function(&self) -> &'static str {
        match self.collective {
            CollectiveName::Broadcast => "MPI_Bcast",
            CollectiveName::Scatter => "MPI_Scatter",
            CollectiveName::Gather => "MPI_Gather",
            CollectiveName::Reduce => "MPI_Reduce",
            CollectiveName::ReduceScatter => "MPI_Reduce_scatter_block",
            CollectiveName::AllGather => "MPI_Allgather",
            CollectiveName::AllReduce => "MPI_Allreduce",
            _ => "MPI_Alltoall",
        }
    }

    /// Executes the collective.
    pub(super) fn execute(&mut self, world: &SimpleCommunicator) {
        let (send, receive, sum) = (&self.send[..], &mut self.receive[..], SystemOperation::sum());
        let (root, is_root) = (world.process_at_rank(self.root), world.rank() == self.root);
        match self.collective {
            CollectiveName::Broadcast => root.broadcast_into(receive),
            CollectiveName::Scatter if is_root => root.scatter_into_root(send, receive),
            CollectiveName::Scatter => root.scatter_into(receive),
            CollectiveName::Gather if is_root => root.gather_into_root(send, receive),
            CollectiveName::Gather => root.gather_into(send),
            CollectiveName::Reduce if is_root => root.reduce_into_root(send, receive, sum),
            CollectiveName::Reduce => root.reduce_into(send, sum),
            CollectiveName::ReduceScatter => world.reduce_scatter_block_into(send, receive, sum),
            CollectiveName::AllGather => world.all_gather_into(send, receive),
            CollectiveName::AllReduce => world.all_reduce_into(send, receive, sum),
            _ => world.all_to_all_into(send, receive),
        }
    }
}
