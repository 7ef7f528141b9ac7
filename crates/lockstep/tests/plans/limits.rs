//! Problems that are too large.

use lockstep::{Budget, Collective, CommunicationModel, PlanError, Topology, plan};

/// A problem is refused before its schedule fills the memory.
#[test]
fn problems_that_do_not_fit_into_memory_are_refused() {
    // 33,000 * 32,999 messages; on a ring of 2,100 nodes, each message uses about 525 channels.
    for (spec, what) in [("star:33000", "transfers"), ("ring:2100", "channel uses")] {
        let topology: Topology = spec.parse().unwrap();
        let exchange = Collective::all_to_all();
        let error = plan(&topology, &exchange, &CommunicationModel::wormhole(), &Budget::evaluations(1)).unwrap_err();
        assert!(matches!(error, PlanError::TooLarge { what: found, .. } if found == what), "{spec}: {error}");
    }
}
