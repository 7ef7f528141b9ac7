//! Fixed results: the same seed gives the same search on every machine and after every change of the code.

use lockstep_evolve::{Algorithm, Evolution, HgsaOptions, Prediction, UmdaOptions};
use lockstep_schedule::{Budget, CommunicationModel, Ports};

use crate::problem::Cell;

/// The FNV-1a hash of the search's checkpoint after `evaluations` evaluations: of all individuals and counters.
fn fingerprint(cell: &Cell, steps: u32, algorithm: impl Algorithm, evaluations: u64) -> u64 {
    let paths = cell.paths();
    let space = cell.space(&paths, steps);
    let mut evolution = Evolution::new(&space, algorithm);
    let _ = evolution.run(&Budget::evaluations(evaluations), |_| {});
    let fold = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    evolution.checkpoint().iter().fold(0xcbf2_9ce4_8422_2325, fold)
}

fn wormhole(network: &str, collective: &str) -> Cell {
    Cell::new(network, collective)
}

fn forwarded(network: &str, collective: &str) -> Cell {
    Cell::new(network, collective).with_model(CommunicationModel::store_and_forward())
}

fn one_port(cell: Cell, model: CommunicationModel) -> Cell {
    cell.with_model(CommunicationModel { ports: Ports::limit(1).expect("a port"), ..model })
}

#[test]
fn umda_searches_are_those_of_earlier_versions() {
    let wormhole_model = CommunicationModel::wormhole();
    let cells = [
        (wormhole("omega:8", "aab"), 7),
        (wormhole("b-tree:8", "aas"), 16),
        (wormhole("full-b-tree:7", "aas"), 11),
        (wormhole("clos:3,3,4", "aab"), 11),
        (wormhole("kautz:2,2", "oab"), 2),
        (forwarded("hypercube:3", "aab"), 3),
        (one_port(wormhole("hypercube:3", "aas"), wormhole_model), 7),
        (one_port(forwarded("ring:6", "aab"), CommunicationModel::store_and_forward()), 5),
        (wormhole("mesh:2x4", "aab").half_duplex(), 7),
    ];
    let found: Vec<[u64; 2]> = cells
        .iter()
        .map(|(cell, steps)| {
            [
                fingerprint(cell, *steps, UmdaOptions::directed(3), 8_000),
                fingerprint(cell, *steps, UmdaOptions::published(3), 400),
            ]
        })
        .collect();
    let expected = [
        [0xb876_1c22_bc44_7fae, 0x15dc_5c1b_ffb2_9561],
        [0x1f3e_1e89_7c6e_901f, 0x7d78_190d_0064_efba],
        [0x3911_76ea_f474_ffa9, 0xc661_e918_4454_7a9d],
        [0xc880_01d0_6f85_2279, 0x36f3_ff8d_edb1_1335],
        [0x4642_a7c5_ab90_9e06, 0x0c63_2012_b3c3_6df6],
        [0xe166_9c3c_d905_1362, 0xde4f_405c_ab50_d8cd],
        [0xed3b_4632_1ab9_1f93, 0x347a_a96c_4a6e_d49e],
        [0x708e_a54c_edd2_bcef, 0xc63d_8c94_0259_f2d7],
        [0x70c1_bc2a_4cf6_29bc, 0xf6e0_38a6_b04c_d240],
    ];
    assert_eq!(found, expected);
}

#[test]
fn hgsa_searches_are_those_of_earlier_versions() {
    let store_and_forward = CommunicationModel::store_and_forward();
    let cells = [
        (forwarded("hypercube:4", "aab"), 4),
        (forwarded("random-regular:16,4,1", "aab"), 3),
        (forwarded("torus:3x3", "oab"), 2),
        (one_port(forwarded("mesh:2x3", "aab"), store_and_forward), 5),
        (forwarded("ring:6", "aab").half_duplex(), 5),
    ];
    let found: Vec<[u64; 6]> = cells
        .iter()
        .map(|(cell, steps)| {
            let predictions = [Prediction::None, Prediction::Published, Prediction::Matching];
            let algorithms = [HgsaOptions::directed(3), HgsaOptions::published(3)].into_iter();
            let algorithms =
                algorithms.flat_map(|options| predictions.map(|prediction| HgsaOptions { prediction, ..options }));
            let found: Vec<u64> = algorithms.map(|options| fingerprint(cell, *steps, options, 9_000)).collect();
            found.try_into().expect("two sets of options with three predictions each")
        })
        .collect();
    let expected = [
        [
            0x2431_5ef3_5f9a_5dbc,
            0x8453_a724_0eb9_0ae6,
            0x8b15_10c0_8ec5_3c93,
            0x5055_22ed_9a7f_3370,
            0xc243_2e6f_2d7d_6f7e,
            0x3b35_5f4e_9693_7730,
        ],
        [
            0xde73_5d76_3546_6e9f,
            0x95c3_1086_cba7_f0eb,
            0xcb6d_05bb_502e_01b8,
            0x0096_44b3_bf83_0e36,
            0xe17f_34b2_8d3e_d313,
            0x34be_a75b_59f1_807f,
        ],
        [
            0xaa1b_9418_cf04_fdc3,
            0xaa2b_ecb0_3765_45e9,
            0xeb8b_517b_8e6e_b332,
            0x0448_f7ac_3530_b3ce,
            0x6e52_7edb_e3a4_f621,
            0x44fc_4c25_2df6_b248,
        ],
        [
            0x87fd_f4ae_fd1d_5930,
            0x2613_89ec_0d02_3ac3,
            0x573a_6dd6_d93d_bb1e,
            0xeab2_5f99_c04f_b4a2,
            0x18de_5b68_df7c_faa5,
            0xc678_49d7_6972_5fc2,
        ],
        [
            0xb2fc_6291_5578_f0da,
            0xc29e_8498_9fb4_050c,
            0x7690_c2cc_0f54_2f9a,
            0x2c21_ed67_2a2f_9cc4,
            0x63df_68bc_8546_c4f6,
            0xde8d_234b_88c6_2948,
        ],
    ];
    assert_eq!(found, expected);
}
