//! A line through time: weekly means with what is known of their error.

use super::{
    Day, Sums,
    report::{RollingPoint, ScoredSeries},
    sums::number,
};
use agreement::{Estimate, Inference, IntervalMethod, Undefined, median, with_known_error};

/// Days of a rolling mean: whole weeks, so that a quiet Sunday is compared with a quiet Sunday.
pub(super) const WEEK: i32 = 7;

/// Days before the present week from which it is learnt how far days differ for no reason of sampling.
const HISTORY: i32 = 28;

/// Fewer pairs of days than this tell nothing of that.
const FEWEST_PAIRS: usize = 7;

/// The median of χ² with one degree of freedom: the median of squared differences ÷ this is their variance.
const MEDIAN_OF_CHI_SQUARED: f64 = 0.454_936_423_119_572_8;

/// One line: all scores of a dimension, or those of one of its corpora or systems.
pub(super) struct Series {
    first: Day,
    days: Vec<DaySums>,
}

/// One day of a line.
#[derive(Clone, Debug, Default)]
struct DaySums {
    sums: Sums,
    /// How many scores each judge gave, by its place in the list of judges.
    judges: Vec<(usize, u64)>,
}

/// Seven days of a line.
#[derive(Clone, Debug, Default)]
pub(super) struct Week {
    pub(super) count: u64,
    sum: u64,
    squares: u64,
    /// Σ(nᵈ/n)²: 1 ÷ the number of days that count as equal.
    squared_weights: f64,
}

impl Week {
    fn sums(&self) -> Sums {
        Sums { count: self.count, sum: self.sum, squares: self.squares, ..Sums::default() }
    }

    /// The mean and its squared standard error, where days differ by a variance of `between` beside that of sampling.
    fn mean(&self, between: f64) -> Option<(f64, f64)> {
        let sums = self.sums();
        let sampling = sums.variance().unwrap_or(f64::INFINITY) / number(self.count);
        Some((sums.mean()?, sampling + between * self.squared_weights))
    }
}

impl Series {
    /// The line of some parts, each with the place of its judge, from its first day through `last`. None without a score.
    pub(super) fn of<'a>(
        parts: impl Iterator<Item = (&'a ScoredSeries, usize)> + Clone,
        last: Day,
    ) -> Option<Series> {
        let all = || parts.clone().flat_map(|(part, judge)| part.days.iter().map(move |day| (day, judge)));
        let first = all().map(|((day, _), _)| *day).filter(|day| *day <= last).min()?;
        let length = usize::try_from(last.since(first)).ok()? + 1;
        let mut days = vec![DaySums::default(); length];
        for ((day, sums), judge) in all() {
            let at = usize::try_from(day.since(first)).ok();
            let Some(day) = at.and_then(|at| days.get_mut(at)) else { continue };
            day.sums.add(sums);
            match day.judges.iter_mut().find(|(known, _)| *known == judge) {
                Some((_, count)) => *count += sums.count,
                None => day.judges.push((judge, sums.count)),
            }
        }
        Some(Series { first, days })
    }

    pub(super) fn first(&self) -> Day {
        self.first
    }

    pub(super) fn last(&self) -> Day {
        self.first + i32::try_from(self.days.len()).unwrap_or(i32::MAX) - 1
    }

    fn day(&self, day: Day) -> Option<&DaySums> {
        self.days.get(usize::try_from(day.since(self.first)).ok()?)
    }

    fn days_of_week(&self, last: Day) -> impl Iterator<Item = (Day, &DaySums)> {
        (1 - WEEK..=0).filter_map(move |back| Some((last + back, self.day(last + back)?)))
    }

    /// The week that ends with a day.
    pub(super) fn week(&self, last: Day) -> Week {
        let mut week = Week::default();
        let mut squared = 0.0;
        for (_, day) in self.days_of_week(last) {
            week.count += day.sums.count;
            week.sum += day.sums.sum;
            week.squares += day.sums.squares;
            squared += number(day.sums.count).powi(2);
        }
        if week.count > 0 {
            week.squared_weights = squared / number(week.count).powi(2);
        }
        week
    }

    /// All that is kept of the week that ends with a day.
    pub(super) fn whole_week(&self, last: Day) -> Sums {
        let mut sums = Sums::default();
        self.days_of_week(last).for_each(|(_, day)| sums.add(&day.sums));
        sums
    }

    /// Day, judge and the share of the week's scores that the judge gave on that day.
    pub(super) fn shares_of_week(&self, last: Day) -> Vec<(Day, usize, f64)> {
        let count = number(self.week(last).count);
        let of_day = |(day, sums)| -> Vec<_> {
            let sums: &DaySums = sums;
            sums.judges.iter().map(|(judge, given)| (day, *judge, number(*given) / count)).collect()
        };
        self.days_of_week(last).flat_map(of_day).collect()
    }

    /// By which variance days differ beside sampling, in the four weeks before the week that ends with a day. Learnt from differences
    /// between a day and the same weekday before it, so that the rhythm of a week is none; by their median, so that a step of the mean,
    /// which widens a third of them, does not hide the next.
    pub(super) fn between_days(&self, last: Day) -> f64 {
        let newest = last - WEEK;
        let pairs = (0..HISTORY - WEEK).filter_map(|back| {
            let (day, before) = (self.day(newest - back)?, self.day(newest - back - WEEK)?);
            let error = |sums: &Sums| Some(sums.variance()? / number(sums.count));
            let difference = day.sums.mean()? - before.sums.mean()?;
            Some((difference.powi(2), error(&day.sums)? + error(&before.sums)?))
        });
        let (squares, errors): (Vec<f64>, Vec<f64>) = pairs.unzip();
        if squares.len() < FEWEST_PAIRS {
            return 0.0;
        }
        let (Some(squared), Some(error)) = (median(&squares), median(&errors)) else { return 0.0 };
        // A difference of two days has the variance of both.
        (squared / MEDIAN_OF_CHI_SQUARED - error).max(0.0) / 2.0
    }

    /// The mean of the week that ends with a day.
    pub(super) fn mean(&self, last: Day) -> Estimate {
        let week = self.week(last);
        match week.mean(self.between_days(last)) {
            Some((mean, error)) => with_known_error(mean, error.sqrt(), week.count, &wald(0.95)),
            None => {
                Estimate::undefined_because(Undefined::NTooSmall, "there is no score in these days", 0, 0)
            }
        }
    }

    /// The mean of the week that ends with a day, minus that of the week before, with an interval at a level.
    pub(super) fn change(&self, last: Day, level: f64) -> Estimate {
        let (week, before) = (self.week(last), self.week(last - WEEK));
        let between = self.between_days(last);
        let n = week.count + before.count;
        let (Some((mean, error)), Some((mean_before, error_before))) =
            (week.mean(between), before.mean(between))
        else {
            let says = "one of the two weeks has no score";
            return Estimate::undefined_because(Undefined::NTooSmall, says, n, 0);
        };
        with_known_error(mean - mean_before, (error + error_before).sqrt(), n, &wald(level))
    }

    /// The rolling mean of every day that has one.
    pub(super) fn points(&self, from: Day) -> Vec<RollingPoint> {
        let days = (0..self.days.len()).map(|at| self.first + i32::try_from(at).unwrap_or(i32::MAX));
        days.filter(|day| *day >= from)
            .filter_map(|day| {
                let mean = self.mean(day);
                let interval = mean.interval();
                Some(RollingPoint {
                    day,
                    n: mean.n(),
                    mean: mean.value()?,
                    low: interval.map(|interval| interval.low.max(0.0)),
                    high: interval.map(|interval| interval.high.min(1.0)),
                })
            })
            .collect()
    }
}

/// How intervals of means are made.
pub(super) fn wald(level: f64) -> Inference {
    Inference { confidence: level, ..Inference::analytic() }.with_interval(IntervalMethod::Wald)
}
