use super::*;
use crate::{
    Viewer,
    fixture::{Fixture, NOW, after},
};
use domain::ScoredSeries;

fn judge(fingerprint: &str) -> ScoringJudge {
    ScoringJudge {
        fingerprint: fingerprint.to_owned(),
        judge: "strict".to_owned(),
        version: "1".to_owned(),
        reported_model: Some("m-1".to_owned()),
    }
}

fn score(key: &str, conversation: &str, share: f64) -> NewScore {
    NewScore {
        client_key: key.to_owned(),
        dimension: "helpfulness".to_owned(),
        corpus: "cloud".to_owned(),
        system: "v1".to_owned(),
        judge: judge("a"),
        value: 1.0 + 4.0 * share,
        share: ScaleShare::near(share).unwrap(),
        passed: Some(share >= 0.75),
        at: NOW,
        is_dated: true,
        conversation: Some(conversation.to_owned()),
        excerpt: None,
    }
}

async fn sums(fixture: &Fixture, viewer: Viewer) -> Vec<ScoredSeries> {
    fixture.store.scored_series(fixture.project, Day(0), viewer).await.unwrap()
}

#[tokio::test]
async fn what_is_sent_twice_is_counted_once_and_the_order_does_not_matter() {
    let (one, other) = (Fixture::new(0).await, Fixture::new(0).await);
    let scores: Vec<NewScore> = (0..40)
        .map(|at| NewScore {
            at: after(60 * 24 * (at % 3)),
            corpus: if at % 2 == 0 { "cloud".to_owned() } else { String::new() },
            ..score(&format!("k{at}"), "c1", 0.025 * (at % 40) as f64)
        })
        .collect();
    let done = one.store.add_scores(one.project, &scores, NOW).await.unwrap();
    assert_eq!(done, ScoresStored { stored: 40, known: 0 });
    let again = one.store.add_scores(one.project, &scores, after(1)).await.unwrap();
    assert_eq!(again, ScoresStored { stored: 0, known: 40 });
    for chunk in scores.iter().rev().cloned().collect::<Vec<_>>().chunks(7) {
        other.store.add_scores(other.project, chunk, after(5)).await.unwrap();
    }
    let by_name = |mut series: Vec<ScoredSeries>| {
        series.sort_by_key(|part| part.corpus.clone());
        series
    };
    let found = by_name(sums(&one, Viewer::Operator).await);
    assert_eq!(found, by_name(sums(&other, Viewer::Operator).await));
    assert_eq!(found.len(), 2);
    let all: u64 = found.iter().flat_map(|part| &part.days).map(|(_, sums)| sums.count).sum();
    assert_eq!(all, 40);
}

#[tokio::test]
async fn the_sums_are_those_of_the_rows() {
    let fixture = Fixture::new(0).await;
    let scores: Vec<NewScore> =
        (0..21).map(|at| score(&format!("k{at}"), "c1", 0.05 * f64::from(at))).collect();
    for chunk in scores.chunks(4) {
        fixture.store.add_scores(fixture.project, chunk, NOW).await.unwrap();
    }
    let whole = "select count(*) = d.scores and sum(parts) = d.sum and sum(parts * parts) = d.squares \
                     and sum(s.passed) = d.passed from score s join score_day d on d.series_id = s.series_id and d.day = s.day";
    assert_eq!(fixture.number(whole).await, 1);
    let sums = sums(&fixture, Viewer::Operator).await[0].days[0].1;
    assert_eq!((sums.bins, sums.below(15)), ([1; 21], 15));
}

#[tokio::test]
async fn another_score_under_a_key_is_a_conflict_and_nothing_is_stored() {
    let fixture = Fixture::new(0).await;
    fixture.store.add_scores(fixture.project, &[score("k", "c1", 0.5)], NOW).await.unwrap();
    let undated = NewScore { at: after(9), is_dated: false, ..score("k", "c1", 0.5) };
    let again = fixture.store.add_scores(fixture.project, &[undated], after(9)).await.unwrap();
    assert_eq!(again, ScoresStored { stored: 0, known: 1 });
    let both = [score("new", "c2", 0.5), score("k", "c1", 0.75)];
    let refused = fixture.store.add_scores(fixture.project, &both, NOW).await;
    assert!(matches!(&refused, Err(StoreError::Conflict { what }) if what.contains("`k`")), "{refused:?}");
    assert_eq!(fixture.number("select count(*) from score").await, 1);
    assert_eq!(fixture.number("select sum(scores) from score_day").await, 1);
    assert!(fixture.execute("delete from score").await.is_err());
    assert!(fixture.execute("update score set value = 1").await.is_err());
}

#[tokio::test]
async fn who_has_a_conversation_open_sees_no_score_of_it() {
    let fixture = Fixture::new(2).await;
    let ada = fixture.user("Ada").await;
    let scores = [score("k1", "c1", 0.0), score("k2", "c2", 0.25), score("k3", "elsewhere", 0.5)];
    fixture.store.add_scores(fixture.project, &scores, NOW).await.unwrap();
    let open = fixture.assign(ada).await;
    let read = async |viewer| {
        let worst =
            fixture.store.worst_scores(fixture.project, (Day::of(NOW), Day::of(NOW)), 5, viewer).await;
        let worst: Vec<String> = worst.unwrap().into_iter().map(|score| score.conversation).collect();
        (sums(&fixture, viewer).await[0].days[0].1.count, worst)
    };
    assert_eq!(read(Viewer::Operator).await, (3, vec!["c1".into(), "c2".into(), "elsewhere".into()]));
    let (count, worst) = read(Viewer::Member(ada)).await;
    let sealed = if open.conversation == fixture.id("c1").await { "c1" } else { "c2" };
    assert_eq!((count, worst.len()), (2, 2));
    assert!(!worst.iter().any(|seen| seen == sealed), "{worst:?}");
}

#[tokio::test]
async fn a_year_is_read_from_the_sums() {
    let fixture = Fixture::new(0).await;
    let plan = fixture
        .plan(
            "select d.day from score_series s join score_day d on d.series_id = s.id \
             where s.project_id = x'00' and d.day >= 1 order by d.series_id, d.day",
        )
        .await;
    assert!(plan.iter().all(|step| !step.contains("SCAN")), "{plan:?}");
    let worst = fixture
        .plan("select s.conversation from score s where s.project_id = x'00' and s.day = 1 order by s.parts limit 40")
        .await;
    assert!(worst.iter().all(|step| !step.contains("TEMP B-TREE")), "{worst:?}");
}
