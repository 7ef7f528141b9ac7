//! Messages of several receivers: step by step, every terminal fetches what it lacks.

use lockstep_schedule::{MessageId, Receivers, Routing};
use lockstep_topology::{ChannelId, NodeId};
use rand::{Rng, RngExt};

use crate::engine::{Halt, Poll};
use crate::log::Log;
use crate::relay::RelayTree;
use crate::slots::{Capacities, PortPair, Slot, wire};
use crate::task::Task;

/// What all schedules of a broadcast share.
#[derive(Debug)]
pub(crate) struct Spread<'a> {
    task: &'a Task<'a>,
    capacities: Capacities,
    /// Which messages each terminal lacks at the start, a row of words each.
    need: Vec<u64>,
    words: usize,
}

impl<'a> Spread<'a> {
    pub(crate) fn new(task: &'a Task<'a>) -> Self {
        let (topology, messages) = (task.topology(), task.messages());
        let words = messages.len().div_ceil(64);
        let mut need = vec![0; topology.terminal_count() * words];
        let mut tree: Option<(NodeId, RelayTree)> = None;
        for message in messages.ids() {
            let mut want = |node: NodeId| {
                need[task.rank(node) * words + message.index() / 64] |= 1 << (message.index() % 64);
            };
            let source = messages.source(message);
            if messages.receivers(message) == Receivers::AllOthers {
                messages.receivers_iter(message).for_each(want);
                continue;
            }
            // Terminals that only pass the message on must have it too.
            let tree = match &mut tree {
                Some((root, tree)) if *root == source => tree,
                other => &mut other.insert((source, RelayTree::new(task, source))).1,
            };
            for receiver in messages.receivers_iter(message) {
                tree.route(receiver).into_iter().for_each(&mut want);
            }
        }
        Self { task, capacities: Capacities::new(task), need, words }
    }

    pub(crate) fn build(&self, rng: &mut impl Rng, poll: &Poll<'_>) -> Result<Log, Halt> {
        let mut sower = Sower::new(self, rng);
        while sower.left > 0 {
            poll.check(sower.log.step_count() + 1)?;
            sower.step(poll)?;
        }
        Ok(sower.log)
    }
}

struct Sower<'a, R> {
    spread: &'a Spread<'a>,
    log: Log,
    rng: &'a mut R,
    need: Vec<u64>,
    hold: Vec<u64>,
    holders: Vec<u32>,
    missing: Vec<u32>,
    left: u64,
    used: Vec<u32>,
    arrivals: Vec<(u32, u32)>,
    step: u32,
    // search
    dist: Vec<u32>,
    open: Vec<bool>,
    via: Vec<ChannelId>,
    queue: Vec<NodeId>,
    path: Vec<ChannelId>,
    near: bool,
    ord: u32,
}

impl<'a, R: Rng> Sower<'a, R> {
    fn new(spread: &'a Spread<'a>, rng: &'a mut R) -> Self {
        let task = spread.task;
        let messages = task.messages();
        let w = spread.words;
        let p = task.topology().terminal_count();
        let mut hold = vec![0; p * w];
        for m in messages.ids() {
            hold[task.rank(messages.source(m)) * w + m.index() / 64] |= 1 << (m.index() % 64);
        }
        let missing: Vec<u32> = spread.need.chunks_exact(w).map(|row| row.iter().map(|x| x.count_ones()).sum()).collect();
        let n = task.topology().node_count();
        Self {
            spread, log: Log::default(), rng, need: spread.need.clone(), hold, holders: vec![1; messages.len()],
            left: missing.iter().map(|&x| u64::from(x)).sum(), missing, used: vec![0; spread.capacities.len()], arrivals: vec![], step: 0,
            dist: vec![u32::MAX; n], open: vec![false; n], via: vec![ChannelId::new(0); n], queue: vec![], path: vec![],
            near: std::env::var("FAR").is_err(),
            ord: std::env::var("ORD").ok().and_then(|s| s.parse().ok()).unwrap_or(0),
        }
    }

    fn free(&self, slot: Slot) -> bool { self.used[slot as usize] < self.spread.capacities.of(slot) }
    fn can_send(&self, rank: usize) -> bool { self.spread.capacities.send(rank).is_none_or(|s| self.free(s)) }
    fn can_receive(&self, rank: usize) -> bool { self.spread.capacities.receive(rank).is_none_or(|s| self.free(s)) }

    fn step(&mut self, poll: &Poll<'_>) -> Result<(), Halt> {
        self.used.fill(0);
        let task = self.spread.task;
        let topo = task.topology();
        let mut order: Vec<(u32, u32, u32)> = vec![];
        for (rank, &node) in topo.terminals().iter().enumerate() {
            if self.missing[rank] > 0 {
                let ports = task.model().ports.of_degree(topo.in_channels(node).len()) as u32;
                let k = match self.ord { 1 => 0, _ => !(self.missing[rank] / ports.max(1)) };
                order.push((k, self.rng.random(), rank as u32));
            }
        }
        order.sort_unstable();
        if self.near || task.stores_and_forwards() {
            for &(.., rank) in &order {
                self.fetch_near(rank as usize)?;
            }
        }
        if !task.stores_and_forwards() {
            for (i, &(.., rank)) in order.iter().enumerate() {
                if i % 64 == 0 { poll.check(0)?; }
                while self.fetch_far(rank as usize, false)? {}
            }
            if task.model().routing == Routing::Any {
                for &(.., rank) in &order {
                    while self.fetch_far(rank as usize, true)? {}
                }
            }
        }
        if self.arrivals.is_empty() { return Err(Halt::Crossed); }
        for (rank, m) in self.arrivals.drain(..) {
            self.hold[rank as usize * self.spread.words + m as usize / 64] |= 1 << (m % 64);
        }
        self.step += 1;
        Ok(())
    }

    fn rarest(&self, from: usize, to: usize, salt: u32) -> Option<u32> {
        let w = self.spread.words;
        let (h, n) = (&self.hold[from * w..][..w], &self.need[to * w..][..w]);
        let mut best = (u32::MAX, 0, 0);
        for (i, (&h, &n)) in h.iter().zip(n).enumerate() {
            let mut x = h & n;
            while x != 0 {
                let m = i as u32 * 64 + x.trailing_zeros();
                x &= x - 1;
                let key = (self.holders[m as usize], (m ^ salt).wrapping_mul(0x9E37_79B9), m);
                if key < best { best = key; }
            }
        }
        (best.0 != u32::MAX).then_some(best.2)
    }

    fn useful(&self, from: usize, to: usize) -> u32 {
        let w = self.spread.words;
        self.hold[from * w..][..w].iter().zip(&self.need[to * w..][..w]).map(|(h, n)| (h & n).count_ones()).sum()
    }

    fn fetch_near(&mut self, v: usize) -> Result<(), Halt> {
        let task = self.spread.task;
        let topo = task.topology();
        let w = self.spread.words;
        let node = topo.terminals()[v];
        let salt = self.rng.random::<u32>();
        let mut sides: Vec<(u32, u32, ChannelId, usize)> = vec![];
        for &c in topo.in_channels(node) {
            if let Some(u) = topo.terminal_rank(topo.tail(c)) {
                if self.free(wire(task, c)) && self.can_send(u) {
                    let k = self.useful(u, v);
                    if k > 0 { sides.push((k, self.rng.random(), c, u)); }
                }
            }
        }
        sides.sort_unstable();
        let mut picks: Vec<(ChannelId, usize, u32)> = vec![];
        for &(_, _, c, u) in &sides {
            if !self.can_receive(v) || !self.free(wire(task, c)) || !self.can_send(u) { continue; }
            let m = match self.rarest(u, v, salt) {
                Some(m) => Some(m),
                None => {
                    let mut found = None;
                    for j in 0..picks.len() {
                        let (_, uj, mj) = picks[j];
                        if self.hold[u * w + mj as usize / 64] >> (mj % 64) & 1 == 1 {
                            if let Some(alt) = self.rarest(uj, v, salt) {
                                picks[j].2 = alt;
                                self.need[v * w + alt as usize / 64] &= !(1 << (alt % 64));
                                self.holders[alt as usize] += 1;
                                self.holders[mj as usize] -= 1;
                                found = Some(mj);
                                break;
                            }
                        }
                    }
                    found
                }
            };
            if let Some(m) = m {
                self.need[v * w + m as usize / 64] &= !(1 << (m % 64));
                self.holders[m as usize] += 1;
                self.used[wire(task, c) as usize] += 1;
                for s in PortPair::new(task, &self.spread.capacities, topo.terminals()[u], node).iter() { self.used[s as usize] += 1; }
                picks.push((c, u, m));
            }
        }
        for (c, _, m) in picks {
            self.log.push(MessageId::new(m), self.step, &[c])?;
            self.arrivals.push((v as u32, m));
            self.missing[v] -= 1;
            self.left -= 1;
        }
        Ok(())
    }

    fn fetch_far(&mut self, v: usize, any: bool) -> Result<bool, Halt> {
        if self.missing[v] == 0 || !self.can_receive(v) { return Ok(false); }
        let task = self.spread.task;
        let topo = task.topology();
        let target = topo.terminals()[v];
        if !topo.in_channels(target).iter().any(|&c| self.free(wire(task, c))) { return Ok(false); }
        self.queue.clear();
        self.queue.push(target);
        self.dist[target.index()] = 0;
        self.open[target.index()] = true;
        let mut next = 0;
        let mut level_end = 1;
        let mut found = None;
        'levels: while next < level_end {
            while next < level_end {
                let b = self.queue[next];
                next += 1;
                if b != target && !topo.routes(b) { continue; }
                let ins = topo.in_channels(b);
                let turn = self.rng.random_range(0..ins.len().max(1));
                for &c in ins[turn.min(ins.len())..].iter().chain(&ins[..turn.min(ins.len())]) {
                    let a = topo.tail(c);
                    let passes = self.open[b.index()] && self.free(wire(task, c));
                    if any && !passes { continue; }
                    if self.dist[a.index()] == u32::MAX {
                        self.dist[a.index()] = self.dist[b.index()] + 1;
                        self.open[a.index()] = false;
                        self.queue.push(a);
                    }
                    if passes && !self.open[a.index()] && self.dist[a.index()] == self.dist[b.index()] + 1 {
                        self.open[a.index()] = true;
                        self.via[a.index()] = c;
                    }
                }
            }
            level_end = self.queue.len();
            let mut alive = false;
            let mut best = (u32::MAX, 0, 0, 0);
            for i in next..level_end {
                let a = self.queue[i];
                if !self.open[a.index()] { continue; }
                alive = true;
                let Some(u) = topo.terminal_rank(a) else { continue };
                if !self.can_send(u) { continue; }
                if let Some(m) = self.rarest(u, v, 77) {
                    let key = (self.holders[m as usize], self.rng.random::<u32>(), m, u);
                    if key < best { best = key; }
                }
            }
            if best.0 != u32::MAX { found = Some((best.2, best.3)); break 'levels; }
            if !alive { break; }
        }
        for n in &self.queue { self.dist[n.index()] = u32::MAX; }
        let Some((m, u)) = found else { return Ok(false) };
        self.path.clear();
        let mut n = topo.terminals()[u];
        while n != target { let c = self.via[n.index()]; self.path.push(c); n = topo.head(c); }
        for &c in &self.path { self.used[wire(task, c) as usize] += 1; }
        for s in PortPair::new(task, &self.spread.capacities, topo.terminals()[u], target).iter() { self.used[s as usize] += 1; }
        let w = self.spread.words;
        self.need[v * w + m as usize / 64] &= !(1 << (m % 64));
        self.holders[m as usize] += 1;
        self.log.push(MessageId::new(m), self.step, &self.path)?;
        self.arrivals.push((v as u32, m));
        self.missing[v] -= 1;
        self.left -= 1;
        Ok(true)
    }
}
