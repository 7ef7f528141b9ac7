//! Arguments of `lockstep design`.

use std::path::PathBuf;

use clap::{ArgMatches, FromArgMatches, ValueEnum};
use lockstep::design::{CablingCode, DesignRules, Machine, OddLinks, Ports, Start, published_generations};
use lockstep::pareto::{Algorithm, Elites, EqualPoints, EvolutionOptions};

use super::topology::NetworkFormat;

const DESIGN_EXAMPLES: &str = "\
Examples:
  lockstep design --routers 8 --chassis 16 -o front.json      a machine of 16 chassis
  lockstep design pick front.json --number 3 -o net.json      its third design, as a network
  lockstep plan net.json -c aab                               schedules for that
  lockstep design --routers 8 --chassis 16 --cabinets 4 --pext 0.25
  lockstep design --routers 8 --chassis 16 --exhaustive 4     all networks of 4 cables a chassis
  lockstep design --order 64 --degree 4 -o net.json           64 nodes, 4 links each
  lockstep design --list                                      what can be designed for

The same seed gives the same front, byte for byte, on any number of threads. Ctrl-C ends the
evolution after its generation and keeps the front so far. With --output or --checkpoint its
state is saved twice a second, and the same command goes on from it.";

const PICK_EXAMPLES: &str = "\
Examples:
  lockstep design pick front.json --number 3                  what can be measured of it
  lockstep design pick front.json --number 3 -o net.json      its network, for lockstep plan
  lockstep design pick --code 7,0,0,11 --routers 2 --chassis 4";

/// Arguments of `lockstep design`: those that make a front, or `pick` and its own.
#[derive(Debug)]
pub(crate) enum DesignArgs {
    Front(Box<FrontArgs>),
    Pick(PickArgs),
}

/// The word before the arguments of a pick.
const PICK: &str = "pick";

// A command that is a command of its own and has others below it is more than can be derived.
impl clap::Args for DesignArgs {
    fn augment_args(command: clap::Command) -> clap::Command {
        let about = "Show the metrics of one design, and write its network";
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

/// Over the machine in the help.
const MACHINE: &str = "Machine";
/// Over what decides which networks are found.
const SEARCH: &str = "Search";
/// Over which codes there are.
const RULES: &str = "Rules";
/// Over the order/degree problem.
const ORDER_DEGREE: &str = "Order and degree";
/// Over what is written.
const OUTPUT: &str = "Output";

/// The machine, and which of its networks are looked for.
const OF_MACHINES: [&str; 7] = ["routers", "chassis", "cabinets", "objectives", "exhaustive", "ports", "plot"];
/// How evolution goes, but for the seed.
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

/// Arguments that make a front, or a graph of one order and degree.
#[derive(Debug, clap::Args)]
pub(crate) struct FrontArgs {
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    /// What to design for, names of --list with commas between [default: kernighan-lin,paths,links;
    /// exact-bisection,paths with --exhaustive]
    #[arg(long, help_heading = SEARCH, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) objectives: Option<Vec<String>>,
    /// Look at all networks with so many slots of a chassis in use, half of them of either router
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
    /// Write the front, or the graph, to this file; - is standard output
    #[arg(short, long, help_heading = OUTPUT, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Draw the front into this SVG file: the first objective to the right, the second upwards, colours for the last
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub(crate) plot: Option<PathBuf>,
    /// Save the state of the evolution in this file [default: the name of --output with .checkpoint behind it]
    #[arg(long, help_heading = OUTPUT, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// Print the front, the properties of the graph, or the objectives as JSON
    #[arg(long, help_heading = OUTPUT)]
    pub(crate) json: bool,
}

/// The order/degree problem.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct OrderDegreeArgs {
    /// Look for a graph of so many nodes, each with --degree links, whose distances are short
    #[arg(long, help_heading = ORDER_DEGREE, value_name = "NODES", requires = "degree", conflicts_with_all = OF_MACHINES, conflicts_with_all = OF_EVOLUTION)]
    pub(crate) order: Option<u32>,
    /// Links of each node
    #[arg(long, help_heading = ORDER_DEGREE, value_name = "LINKS", requires = "order")]
    pub(crate) degree: Option<u32>,
    /// How long to search: each round takes twice as long as the one before, and ten together a second
    #[arg(long, help_heading = ORDER_DEGREE, value_name = "N", default_value_t = 10, requires = "order")]
    pub(crate) rounds: u32,
    /// Write the graph in this format [default: by the extension of --output]
    #[arg(long, help_heading = ORDER_DEGREE, value_name = "FORMAT", requires = "order")]
    pub(crate) format: Option<NetworkFormat>,
}

/// The machine whose cables are designed.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct MachineArgs {
    /// Cable slots of each of the two routers of a chassis
    #[arg(long, visible_alias = "slots", help_heading = MACHINE, value_name = "SLOTS")]
    routers: Option<u32>,
    /// Chassis of a cabinet
    #[arg(long, help_heading = MACHINE, value_name = "N")]
    chassis: Option<u32>,
    /// Cabinets
    #[arg(long, help_heading = MACHINE, value_name = "M", default_value_t = 1)]
    cabinets: u32,
}

impl MachineArgs {
    /// The machine, whose size the parser has asked for.
    pub(crate) fn machine(self) -> anyhow::Result<Machine> {
        Ok(Machine::new(self.routers.unwrap_or(0), self.chassis.unwrap_or(0), self.cabinets)?)
    }
}

/// How evolution goes.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct EvolutionArgs {
    /// How many generations there are unless --generations says it
    #[arg(long, help_heading = SEARCH, value_name = "NAME", default_value = "stated")]
    preset: PresetArg,
    /// Who become parents, and who survives: nsga2, sms-emoa or nsga3
    #[arg(long, help_heading = SEARCH, value_name = "NAME", default_value_t = Algorithm::Nsga2, value_parser = str::parse::<Algorithm>)]
    algorithm: Algorithm,
    /// Generations after the first population [default: those of --preset]
    #[arg(long, help_heading = SEARCH, value_name = "N")]
    generations: Option<u64>,
    /// Networks of a generation
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
    /// Scores of those who survive, where measures throw dice
    #[arg(long, help_heading = SEARCH, value_name = "HOW", default_value = "keep")]
    elites: ElitesArg,
    /// Networks with the same scores
    #[arg(long, help_heading = SEARCH, value_name = "HOW", default_value = "keep")]
    equal_points: EqualPointsArg,
}

impl EvolutionArgs {
    /// The parameters of the evolution.
    pub(crate) fn options(self) -> EvolutionOptions {
        EvolutionOptions {
            algorithm: self.algorithm,
            population: self.population,
            crossover: self.crossover,
            mutation: self.mutation,
            seed: self.seed,
            elites: match self.elites {
                ElitesArg::Keep => Elites::Keep,
                ElitesArg::ReEvaluate => Elites::ReEvaluate,
            },
            equal_points: match self.equal_points {
                EqualPointsArg::Keep => EqualPoints::Keep,
                EqualPointsArg::Remove => EqualPoints::Remove,
            },
        }
    }

    /// Generations after the first population.
    pub(crate) fn generations(self) -> u64 {
        self.generations.unwrap_or(match (self.preset, self.algorithm) {
            (PresetArg::Stated, _) => 100,
            (PresetArg::Paper, algorithm) => published_generations(algorithm).into(),
        })
    }
}

/// Which codes are drawn, and which are kept.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct RulesArgs {
    /// Probability that a new cable may leave its cabinet
    #[arg(long, help_heading = RULES, value_name = "P", default_value_t = 0.0, value_parser = probability)]
    pext: f64,
    /// Probability that a mutation brings cables and does not take them away
    #[arg(long, help_heading = RULES, value_name = "P", default_value_t = 0.5, value_parser = probability)]
    growth: f64,
    /// Slots of each router that the first networks use
    #[arg(long, help_heading = RULES, value_name = "HOW", default_value = "one")]
    start: StartArg,
    /// Networks with an odd number of slots of a chassis in use
    #[arg(long, help_heading = RULES, value_name = "HOW", default_value = "reject")]
    odd: OddArg,
    /// Ends of cables at the two routers of a chassis: any numbers, equal ones, or at most so many
    #[arg(long, help_heading = RULES, value_name = "HOW", default_value = "any", value_parser = ports)]
    ports: Ports,
}

impl RulesArgs {
    /// The rules of the design.
    pub(crate) fn rules(self) -> DesignRules {
        DesignRules {
            external: self.pext,
            growth: self.growth,
            start: match self.start {
                StartArg::One => Start::One,
                StartArg::Uniform => Start::Uniform,
            },
            odd_links: match self.odd {
                OddArg::Keep => OddLinks::Keep,
                OddArg::Reject => OddLinks::Reject,
            },
            ports: self.ports,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum PresetArg {
    /// 100 generations, as the ExaNeSt document states; searches better than its tables show
    Stated,
    /// What reproduces the tables of the ExaNeSt document: 18 generations, 11 with sms-emoa
    Paper,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum ElitesArg {
    /// They stay as they were, however lucky
    Keep,
    /// They are measured again in each generation
    ReEvaluate,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum EqualPointsArg {
    /// They are networks like others
    Keep,
    /// Only one of them stays
    Remove,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum StartArg {
    /// One
    One,
    /// Any number, each as likely, the same for both routers
    Uniform,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum OddArg {
    /// They are networks like others
    Keep,
    /// They are discarded
    Reject,
}

fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

fn ports(text: &str) -> Result<Ports, String> {
    match text {
        "any" => Ok(Ports::Any),
        "equal" => Ok(Ports::Equal),
        _ => {
            let most = text.parse().ok().filter(|&most| most > 0);
            most.map(Ports::AtMost).ok_or_else(|| "expected 'any', 'equal' or a number from 1".to_owned())
        }
    }
}

/// Arguments of `lockstep design pick`.
#[derive(Debug, clap::Args)]
#[command(after_help = PICK_EXAMPLES)]
pub(crate) struct PickArgs {
    /// A front, as lockstep design -o writes it; - is standard input
    #[arg(required_unless_present = "code", requires = "number", conflicts_with_all = ["routers", "chassis", "cabinets"])]
    pub(crate) front: Option<PathBuf>,
    /// The design of this number in the front, from 1
    #[arg(long, value_name = "K", requires = "front")]
    pub(crate) number: Option<usize>,
    /// The design of this code instead: the offset of each slot of a chassis, with commas between
    #[arg(long, value_name = "OFFSETS", conflicts_with_all = ["front", "number"], requires_all = ["routers", "chassis"], value_parser = str::parse::<CablingCode>)]
    pub(crate) code: Option<CablingCode>,
    #[command(flatten)]
    pub(crate) machine: MachineArgs,
    /// Write the network in this format [default: by the extension of --output]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<NetworkFormat>,
    /// Write the network to this file; - is standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Print the metrics as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
