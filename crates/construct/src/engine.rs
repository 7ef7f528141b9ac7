use lockstep_schedule::{Budget, NotFound, Problem, Schedule, StopReason};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::log::Log;
use crate::scatter::Scatter;
use crate::spread::Spread;
use crate::task::Task;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Halt { Stopped(StopReason), Longer, TooLarge, Crossed }

pub(crate) struct Poll<'a> { pub(crate) budget: &'a Budget, pub(crate) below: u32 }
impl Poll<'_> {
    pub(crate) fn aim(&self) -> u32 { self.below }
    pub(crate) fn check(&self, steps: u32) -> Result<(), Halt> {
        if steps >= self.below { return Err(Halt::Longer); }
        match self.budget.stop_after(0) { Some(r) => Err(Halt::Stopped(r)), None => Ok(()) }
    }
}

enum Builder<'a> { Scatter(Scatter<'a>), Spread(Spread<'a>) }
impl Builder<'_> {
    fn build(&self, rng: &mut ChaCha8Rng, elite: Option<&Log>, poll: &Poll<'_>) -> Result<Log, Halt> {
        match self { Self::Scatter(s) => { let _ = elite; s.build(rng, poll) }, Self::Spread(s) => s.build(rng, poll) }
    }
}

pub fn schedule(problem: &Problem<'_>, steps: u32, seed: u64, budget: &Budget) -> Result<Schedule, NotFound> {
    let tasks: Vec<Task> = problem.collective().phases().iter().map(|&p| Task::new(problem, p)).collect();
    let builders: Vec<Builder> = tasks.iter().map(|t| if problem.messages().is_scatter() { Builder::Scatter(Scatter::new(t)) } else { Builder::Spread(Spread::new(t)) }).collect();
    let mut best: Vec<Option<Log>> = vec![None; tasks.len()];
    let mut n = 0;
    let reason = loop {
        if let Some(r) = budget.stop_after(n) { break r; }
        for (i, b) in builders.iter().enumerate() {
            let mut key = [0; 32];
            key[..8].copy_from_slice(&seed.to_le_bytes());
            key[8..16].copy_from_slice(&n.to_le_bytes());
            key[16] = i as u8;
            let mut rng = ChaCha8Rng::from_seed(key);
            let elite = if n % 8 == 0 || std::env::var("NOELITE").is_ok() { None } else { best[i].as_ref() };
            let poll = Poll { budget, below: u32::MAX };
            match b.build(&mut rng, elite, &poll) {
                Ok(log) => if best[i].as_ref().is_none_or(|b| log.step_count() <= b.step_count()) { best[i] = Some(log) },
                Err(e) => panic!("{e:?}"),
            }
        }
        n += 1;
        if best.iter().map(|b| b.as_ref().unwrap().step_count()).sum::<u32>() <= steps { break StopReason::Evaluations; }
    };
    let _ = reason;
    let total: u32 = best.iter().map(|b| b.as_ref().unwrap().step_count()).sum();
    if total > steps && std::env::var("ANYLEN").is_err() { return Err(NotFound::TooLong { steps, reached: total }); }
    let mut s = Schedule::new();
    for (t, b) in tasks.iter().zip(&best) { t.write(b.as_ref().unwrap(), &mut s); }
    Ok(s)
}
