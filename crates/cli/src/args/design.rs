//! Arguments of `lockstep design`.

use std::path::PathBuf;

use clap::{ArgMatches, FromArgMatches, ValueEnum};
use lockstep::design::{
    CablingCode, DEFAULT_OBJECTIVES, DesignRules, InitialSlots, Machine, OddLinks, PUBLISHED_OBJECTIVES, PortRule,
    published_generations,
};
use lockstep::pareto::{Elites, EqualPoints, EvolutionOptions, SelectionAlgorithm};

use super::topology::NetworkFormat;

const DESIGN_EXAMPLES: &str = "\
Examples:
  lockstep design --routers 8 --chassis 16 -o front.json      design a machine of 16 chassis
  lockstep design pick front.json --number 3 -o net.json      write its third design as a network
  lockstep plan net.json -c all-gather                        plan a schedule for that network
  lockstep design --routers 8 --chassis 16 --cabinets 4 --pext 0.25
  lockstep design --routers 8 --chassis 16 --exhaustive 4     all networks of 4 cables per chassis
  lockstep design --order 64 --degree 4 -o net.json           64 nodes with 4 links each
  lockstep design --order 1024 --degree 4 --for all-gather    networks for an all-gather
  lockstep design --list                                      list the objectives

The same seed gives the same front, byte for byte, on any number of threads. Ctrl-C stops the
evolution after the current generation and keeps the front found. With --output or --checkpoint, its
state is saved twice per second; the same command resumes it.";

const PICK_EXAMPLES: &str = "\
Examples:
  lockstep design pick front.json --number 3                  print its metrics
  lockstep design pick front.json --number 3 -o net.json      write its network, for lockstep plan
  lockstep design pick --code 7,0,0,11 --routers 2 --chassis 4";

/// Arguments of `lockstep design`: of a search, or of `pick`.
#[derive(Debug)]
pub(crate) enum DesignArgs {
    Front(Box<FrontArgs>),
    Pick(PickArgs),
}

/// Name of the subcommand.
const PICK: &str = "pick";

// Clap cannot derive a command that has both arguments of its own and subcommands.
impl clap::Args for DesignArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        let about = "Show the metrics of one design, or write its network";
        FrontArgs::augment_args(command)
            .mut_arg("routers", |arg| arg.required_unless_present_any(["list", "order"]))
            .mut_arg("chassis", |arg| arg.required_unless_present_any(["list", "order"]))
            .subcommand(PickArgs::augment_args(clap::Command::new(PICK)).about(about))
            .args_conflicts_with_subcommands(true)
            .subcommand_negates_reqs(true)
            .after_help(DESIGN_EXAMPLES)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for DesignArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        match matches.subcommand() {
            Some((PICK, matches)) => PickArgs::from_arg_matches(matches).map(Self::Pick),
            _ => FrontArgs::from_arg_matches(matches).map(|args| Self::Front(args.into())),
        }
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Help heading of the machine.
const MACHINE: &str = "Machine";
/// Help heading of the search.
const SEARCH: &str = "Search";
/// Help heading of the rules.
const RULES: &str = "Rules";
/// Help heading of the order/degree problem.
const ORDER_DEGREE: &str = "Order and degree";
/// Help heading of the output.
const OUTPUT: &str = "Output";

/// Arguments that describe a machine or a search over its networks.
const OF_MACHINES: [&str; 7] = ["routers", "chassis", "cabinets", "objectives", "exhaustive", "ports", "plot"];
/// Arguments of the evolution, except the seed.
const OF_EVOLUTION: [&str; 13] = [
    "preset",
    "algorithm",
    "generations",
    "population",
    "crossover",
    "mutation",
    "elites",
    "equal_points",
    "pext",
    "growth",
    "start",
    "odd",
    "checkpoint",
];

/// Arguments of a search for a front, or for a graph of given order and degree.
#[derive(Debug, clap::Args)]
pub(crate) struct FrontArgs {
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    /// Objectives: a comma-separated list of names from --list [default: from --preset;
    /// exact-bisection,throughput with --exhaustive]
    #[arg(long, help_heading = SEARCH, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) objectives: Option<Vec<String>>,
    /// Enumerate all networks that use LINKS cable slots per chassis, half on each router
    #[arg(long, help_heading = SEARCH, value_name = "LINKS", conflicts_with = "seed", conflicts_with_all = OF_EVOLUTION)]
    pub(crate) exhaustive: Option<u32>,
    #[command(flatten)]
    pub(crate) evolution: EvolutionArgs,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
    #[command(flatten)]
    pub(crate) order_degree: OrderDegreeArgs,
    /// List all objectives
    #[arg(long, conflicts_with_all = ["seed", "order", "output"], conflicts_with_all = OF_MACHINES, conflicts_with_all = OF_EVOLUTION)]
    pub(crate) list: bool,
    /// Write the front or the graph to FILE; - is standard output
    #[arg(short, long, help_heading = OUTPUT, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Draw the front as SVG: first objective on the x axis, second on the y axis, last one as colour. A page if FILE
    /// ends in .html: hover over a design for its network
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Save the state of the evolution to FILE [default: the name of --output plus .checkpoint]
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Print the front, the graph properties or the objectives as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) json: bool,
}

/// Arguments of the order/degree problem.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct OrderDegreeArgs {
    /// Search for a graph of NODES nodes with --degree links each: smallest diameter first, then smallest mean distance.
    /// At most 131072 nodes and 8388608 link ends (NODES times LINKS)
    #[arg(long, help_heading = ORDER_DEGREE, value_name = "NODES", requires = "degree", conflicts_with_all = OF_MACHINES, conflicts_with_all = OF_EVOLUTION)]
    pub(crate) order: Option<u32>,
    /// Links per node
    #[arg(long, help_heading = ORDER_DEGREE, value_name = "LINKS", requires = "order")]
    pub(crate) degree: Option<u32>,
    /// Search for networks with few stages and little time of this collective by breadth-first broadcast, instead of a small
    /// diameter
    #[arg(id = "for", long = "for", help_heading = ORDER_DEGREE, value_name = "COLLECTIVE", requires = "order", conflicts_with_all = ["rounds", "format"])]
    pub(crate) purpose: Option<PurposeArg>,
    /// Search only networks of full-duplex links [default: channels may be one way]
    #[arg(long, help_heading = ORDER_DEGREE, requires = "for")]
    pub(crate) full_duplex: bool,
    /// Number of search rounds; each takes twice as long as the one before, ten take about one second
    #[arg(long, help_heading = ORDER_DEGREE, value_name = "N", default_value_t = 10, requires = "order")]
    pub(crate) rounds: u32,
    /// Format of the written graph [default: from the extension of --output]
    #[arg(long, help_heading = ORDER_DEGREE, value_name = "FORMAT", requires = "order")]
    pub(crate) format: Option<NetworkFormat>,
}

/// The machine to cable.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct MachineArgs {
    /// Cable slots per router; each chassis has two routers
    #[arg(long, visible_alias = "slots", help_heading = MACHINE, value_name = "SLOTS")]
    routers: Option<u32>,
    /// Chassis per cabinet
    #[arg(long, help_heading = MACHINE, value_name = "N")]
    chassis: Option<u32>,
    /// Number of cabinets
    #[arg(long, help_heading = MACHINE, value_name = "M", default_value_t = 1)]
    cabinets: u32,
}

impl MachineArgs {
    /// Returns the machine. The parser requires its size.
    pub(crate) fn machine(self) -> anyhow::Result<Machine> {
        Ok(Machine::new(self.routers.unwrap_or(0), self.chassis.unwrap_or(0), self.cabinets)?)
    }
}

/// Parameters of the evolution.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct EvolutionArgs {
    /// Objectives, number of generations and treatment of survivors, unless given
    #[arg(long, help_heading = SEARCH, value_name = "NAME", default_value = "default")]
    preset: PresetArg,
    /// Selection algorithm: nsga2, sms-emoa or nsga3
    #[arg(long, help_heading = SEARCH, value_name = "NAME", default_value_t = SelectionAlgorithm::Nsga2, value_parser = str::parse::<SelectionAlgorithm>)]
    algorithm: SelectionAlgorithm,
    /// Number of generations after the first population [default: from --preset]
    #[arg(long, help_heading = SEARCH, value_name = "N")]
    generations: Option<u64>,
    /// Networks per generation
    #[arg(long, help_heading = SEARCH, value_name = "N", default_value_t = 100)]
    population: usize,
    /// Seed of all random choices
    #[arg(short, long, help_heading = SEARCH, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Probability that a child has two parents
    #[arg(long, help_heading = SEARCH, value_name = "P", default_value_t = 0.8, value_parser = probability)]
    crossover: f64,
    /// Probability that a child is mutated
    #[arg(long, help_heading = SEARCH, value_name = "P", default_value_t = 0.8, value_parser = probability)]
    mutation: f64,
    /// Treatment of survivors whose scores are random [default: from --preset]
    #[arg(long, help_heading = SEARCH, value_name = "HOW")]
    elites: Option<ElitesArg>,
    /// Treatment of networks with equal scores
    #[arg(long, help_heading = SEARCH, value_name = "HOW", default_value = "keep")]
    equal_points: EqualPointsArg,
}

impl EvolutionArgs {
    /// Returns the options of the evolution.
    pub(crate) fn options(self) -> EvolutionOptions {
        EvolutionOptions {
            algorithm: self.algorithm,
            population: self.population,
            crossover: self.crossover,
            mutation: self.mutation,
            seed: self.seed,
            elites: match (self.elites, self.preset) {
                (Some(ElitesArg::Keep), _) | (None, PresetArg::Stated | PresetArg::Paper) => Elites::Keep,
                (Some(ElitesArg::ReEvaluate), _) | (None, PresetArg::Default) => Elites::ReEvaluate,
            },
            equal_points: match self.equal_points {
                EqualPointsArg::Keep => EqualPoints::Keep,
                EqualPointsArg::Remove => EqualPoints::Remove,
            },
        }
    }

    /// Returns the number of generations after the first population.
    pub(crate) fn generations(self) -> u64 {
        self.generations.unwrap_or(match self.preset {
            PresetArg::Default | PresetArg::Stated => 100,
            PresetArg::Paper => published_generations(self.algorithm).into(),
        })
    }

    /// Returns the names of the objectives of the preset.
    pub(crate) fn objectives(self) -> [&'static str; 3] {
        match self.preset {
            PresetArg::Default => DEFAULT_OBJECTIVES,
            PresetArg::Stated | PresetArg::Paper => PUBLISHED_OBJECTIVES,
        }
    }
}

/// Rules for drawing and keeping cabling codes.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct RulesArgs {
    /// Probability that a new cable may leave its cabinet
    #[arg(long, help_heading = RULES, value_name = "P", default_value_t = 0.0, value_parser = probability)]
    pext: f64,
    /// Probability that a mutation adds cables instead of removing them
    #[arg(long, help_heading = RULES, value_name = "P", default_value_t = 0.5, value_parser = probability)]
    growth: f64,
    /// Slots per router that the first networks use
    #[arg(long, help_heading = RULES, value_name = "HOW", default_value = "one")]
    start: StartArg,
    /// Treatment of networks that use an odd number of slots per chassis
    #[arg(long, help_heading = RULES, value_name = "HOW", default_value = "reject")]
    odd: OddArg,
    /// Cable ends at the two routers of a chassis: any, equal, or at most N each
    #[arg(long, help_heading = RULES, value_name = "HOW", default_value = "any", value_parser = ports)]
    ports: PortRule,
}

impl RulesArgs {
    /// Returns the rules of the design.
    pub(crate) fn rules(self) -> DesignRules {
        DesignRules {
            external: self.pext,
            growth: self.growth,
            start: match self.start {
                StartArg::One => InitialSlots::One,
                StartArg::Uniform => InitialSlots::Uniform,
            },
            odd_links: match self.odd {
                OddArg::Keep => OddLinks::Keep,
                OddArg::Reject => OddLinks::Reject,
            },
            ports: self.ports,
        }
    }
}

/// The collective of a search for networks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum PurposeArg {
    /// A front of networks for an all-gather; reduce-scatters are as fast on the reversed networks
    AllGather,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum PresetArg {
    /// bisection,throughput,links; 100 generations; survivors are scored again
    Default,
    /// kernighan-lin,paths,links; 100 generations, as the ExaNeSt document states; gives better results than its tables
    Stated,
    /// kernighan-lin,paths,links; 18 generations (11 with sms-emoa), which reproduce the tables of the ExaNeSt document
    Paper,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ElitesArg {
    /// Keep their scores
    Keep,
    /// Score them again in each generation
    ReEvaluate,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum EqualPointsArg {
    /// Keep them all
    Keep,
    /// Keep only one of them
    Remove,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum StartArg {
    /// One slot
    One,
    /// A uniformly random number, the same for both routers
    Uniform,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum OddArg {
    /// Keep them
    Keep,
    /// Discard them
    Reject,
}

fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

fn ports(text: &str) -> Result<PortRule, String> {
    match text {
        "any" => Ok(PortRule::Any),
        "equal" => Ok(PortRule::Equal),
        _ => {
            let most = text.parse().ok().filter(|&most| most > 0);
            most.map(PortRule::AtMost).ok_or_else(|| "expected 'any', 'equal' or a number from 1".to_owned())
        }
    }
}

/// Arguments of `lockstep design pick`.
#[derive(Debug, clap::Args)]
#[command(after_help = PICK_EXAMPLES)]
pub(crate) struct PickArgs {
    /// Front, written by lockstep design -o; - is standard input
    #[arg(required_unless_present = "code", requires = "number", conflicts_with_all = ["routers", "chassis", "cabinets"])]
    pub(crate) front: Option<PathBuf>,
    /// Number of the design in the front, from 1
    #[arg(long, value_name = "K", requires = "front")]
    pub(crate) number: Option<usize>,
    /// Cabling code of the design: the offset of each slot of a chassis, separated by commas
    #[arg(long, value_name = "OFFSETS", conflicts_with_all = ["front", "number"], requires_all = ["routers", "chassis"], value_parser = str::parse::<CablingCode>)]
    pub(crate) code: Option<CablingCode>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    /// Format of the written network [default: from the extension of --output]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<NetworkFormat>,
    /// Write the network to FILE; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print the metrics as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
