#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

mod distributions;
mod input;
mod judge;
mod measure;
mod rate;
mod resampling;
mod result;
mod retrieval;

pub use input::builder::{RatingError, RatingsBuilder};
pub use input::column::Column;
pub use input::confusion::{Cell, Confusion};
pub use input::pairs::Pairs;
pub use input::ratings::Ratings;
pub use input::scale::{Level, SNAP, Scale, ScaleError, ScaleKind};
pub use judge::alt_test::{Alignment, AltTest, AltTestAnnotator, AltTestSettings, alt_test};
pub use judge::ceiling::ceiling;
pub use judge::comparison::{
    Comparison, Family, Judge, NonInferiority, Pairing, compare, compare_family, non_inferiority,
};
pub use judge::fill::{Fill, fill};
pub use judge::luck::{Luck, expected_luck};
pub use judge::permutation::{Permutation, Studentised, permutation_test};
pub use judge::power::{items_for_non_inferiority, non_inferiority_power};
pub use judge::reference::{Provenance, Reference, Rule, reference_column, references};
pub use judge::repeats::{Spread, flip_rate, intra_judge_kappa, spread};
pub use judge::shift::mean_shift;
pub use judge::threshold::{ThresholdPoint, best_threshold, threshold_point, threshold_sweep};
pub use measure::agreeing::{all_raters_agree, pairwise_agreement};
pub use measure::alpha::{Metric, krippendorff_alpha};
pub use measure::chance::{Chance, ChanceCorrected, FleissNullTest, chance_corrected, fleiss_null_test};
pub use measure::correlation::{Correlation, kendall_tau_b, kendall_tau_c, pearson, spearman};
pub use measure::differences::{
    agreement_within, bias, exact_agreement, mean_absolute_error, root_mean_square_error,
};
pub use measure::icc::{Icc, IccForm, MeanSquares, icc};
pub use measure::kappa::{KappaAnalysis, NullTest, kappa, kappa_standard_error};
pub use measure::mean_kappa::mean_kappa;
pub use measure::weights::{Basis, CustomWeights, Weights, WeightsError};
pub use rate::known_error::{implied_standard_error, with_known_error};
pub use rate::mcnemar::{McNemar, mcnemar};
pub use rate::mean::{arithmetic_mean, mean, median, quantile};
pub use rate::pass_fail::{PassFail, PassRates, pass_rates};
pub use rate::ppi::{Lambda, prediction_powered_mean};
pub use rate::proportion::{ProportionInterval, proportion};
pub use rate::rogan_gladen::{JudgyCompatible, RoganGladen, judgy_compatible, rogan_gladen};
pub use resampling::bootstrap::{BootstrapDistribution, Jackknife};
pub use result::adjust::{NotAProbability, benjamini_hochberg, benjamini_yekutieli, bonferroni, holm};
pub use result::estimate::{Estimate, EstimateError, Flag, Interval, Method, Resamples, Undefined, Unit};
pub use result::inference::{FEW_CLUSTERS, Inference, IntervalMethod, Resampling};
pub use retrieval::{Citations, Gain, NotAGrade, Ranking, Unjudged};
