//! Agreement between raters.
#![deny(missing_docs)]

mod adjust;
mod agreeing;
mod alpha;
mod bootstrap;
mod ceiling;
mod chance;
mod column;
mod comparison;
mod confusion;
mod correlation;
mod differences;
mod distributions;
mod draws;
mod estimate;
mod fill;
mod icc;
mod inference;
mod kappa;
mod luck;
mod mcnemar;
mod pairs;
mod panel;
mod permutation;
mod power;
mod proportion;
mod ratings;
mod reference;
mod repeats;
mod scale;
mod sums;
mod term;
mod weights;

pub use adjust::{NotAProbability, benjamini_hochberg, benjamini_yekutieli, bonferroni, holm};
pub use agreeing::{all_raters_agree, pairwise_agreement};
pub use alpha::{Metric, krippendorff_alpha};
pub use bootstrap::{BootstrapDistribution, Jackknife};
pub use ceiling::ceiling;
pub use chance::{Chance, ChanceCorrected, FleissNullTest, chance_corrected, fleiss_null_test};
pub use column::Column;
pub use comparison::{
    Comparison, Family, Judge, NonInferiority, Pairing, compare, compare_family, non_inferiority,
};
pub use confusion::{Cell, Confusion};
pub use correlation::{Correlation, kendall_tau_b, kendall_tau_c, pearson, spearman};
pub use differences::{agreement_within, bias, exact_agreement, mean_absolute_error, root_mean_square_error};
pub use estimate::{Estimate, EstimateError, Flag, Interval, Method, Resamples, Undefined, Unit};
pub use fill::{Fill, fill};
pub use icc::{Icc, IccForm, MeanSquares, icc};
pub use inference::{Inference, IntervalMethod, Resampling};
pub use kappa::{KappaAnalysis, NullTest, kappa};
pub use luck::{Luck, expected_luck};
pub use mcnemar::{McNemar, mcnemar};
pub use pairs::Pairs;
pub use permutation::{Permutation, Studentised, permutation_test};
pub use power::{items_for_non_inferiority, non_inferiority_power};
pub use proportion::{ProportionInterval, proportion};
pub use ratings::{RatingError, Ratings, RatingsBuilder};
pub use reference::{Provenance, Reference, Rule, reference_column, references};
pub use repeats::{Spread, flip_rate, intra_judge_kappa, spread};
pub use scale::{Level, SNAP, Scale, ScaleError, ScaleKind};
pub use weights::{Basis, CustomWeights, Weights, WeightsError};
