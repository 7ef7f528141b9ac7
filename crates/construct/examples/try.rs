use lockstep_schedule::*;
use lockstep_topology::*;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let mut t: Topology = a[1].parse().unwrap();
    let mut model = if a[3].contains("sf") { CommunicationModel::store_and_forward() } else { CommunicationModel::wormhole() };
    if a[3].contains("any") { model.routing = Routing::Any; }
    if a[3].contains("relay") { model.scatter = ScatterRule::Relay; }
    if a[3].contains("p1") { model.ports = Ports::limit(1).unwrap(); }
    if a[3].contains("p2") { model.ports = Ports::limit(2).unwrap(); }
    if a[3].contains("half") { t = t.half_duplex(); }
    let root = t.terminals()[a.get(6).map_or(0, |s| s.parse().unwrap())];
    let c = match a[2].as_str() { "aas" => Collective::all_to_all_scatter(), "aab" => Collective::all_to_all_broadcast(), "oas" => Collective::one_to_all_scatter(root), "oab" => Collective::one_to_all_broadcast(root),
      "rs" => CollectiveKind::ReduceScatter.into(), "ar" => CollectiveKind::AllReduce.into(), "gather" => CollectiveKind::Gather{root}.into(), "reduce" => CollectiveKind::Reduce{root}.into(), _ => panic!() };
    let p = Problem::new(&t, &c, model).unwrap();
    let bound: u32 = a[4].parse().unwrap();
    let evals: u64 = a[5].parse().unwrap();
    let mut got = vec![]; let mut ms = vec![];
    let seeds: u64 = std::env::var("SEEDS").ok().map_or(10, |s| s.parse().unwrap());
    for seed in 0..seeds {
        let s = Instant::now();
        let r = lockstep_construct::schedule(&p, bound, seed, &Budget::evaluations(evals));
        ms.push(s.elapsed().as_secs_f64() * 1e3);
        match r { Ok(s) => { got.push(s.step_count()); if let Err(e) = verify(&p, &s) { println!("INVALID {e}"); } } Err(NotFound::TooLong{reached,..}) => got.push(reached as usize), Err(e) => println!("{e}") }
    }
    println!("{} {} {}: bound {} got {:?} ms {:.2}..{:.2}", a[1], a[2], a[3], bound, got, ms.iter().cloned().fold(f64::MAX, f64::min), ms.iter().cloned().fold(0., f64::max));
}
