//! The format `hwloc`: the topology of a machine as `lstopo --of xml` writes it.
//!
//! # Grammar
//!
//! `<topology>` contains one `<object type="Machine">`, which contains `Package`, `Group`, `NUMANode` and other objects. A
//! `Bridge` or a `PCIDev` has `pci_busid`, `pci_type` (class, vendor and device) and `pci_link_speed` (in GB/s, `0` if unknown).
//! A `PCIDev` contains `OSDev` objects with names such as `cuda0` and `mlx5_0`. Behind the machine, `<distances2>` and
//! `<distances2hetero>` have matrices, of which those of bandwidths between GPUs are read. Versions 1 to 3 are read; in
//! version 1, packages are inside of their NUMA node.
//!
//! # Source
//!
//! `hwloc/hwloc2.dtd`, `doc/hwloc.doxy` and `tests/hwloc/xml` of github.com/open-mpi/hwloc.

mod devices;
mod matrices;
mod objects;
mod places;
mod reader;

pub(super) use self::reader::read;
