use super::*;
use crate::fixture::{Fixture, NOW, after};
use domain::agreement::{Estimate, Inference, with_known_error};

fn alarm(day: i32) -> NewAlarm {
    NewAlarm {
        dimension: "helpfulness".to_owned(),
        cut: Cut::Corpus("cloud".to_owned()),
        day: Day(day),
        says: "helpfulness fell".to_owned(),
    }
}

#[tokio::test]
async fn a_fall_is_one_alarm_and_is_told_by_one() {
    let fixture = Fixture::new(0).await;
    let raise = async |day| fixture.store.raise_alarm(fixture.project, &alarm(day), NOW).await.unwrap();
    let first = raise(100).await;
    // Late scores may move the day on which it is found.
    assert_eq!(raise(98).await.id, first.id);
    assert_eq!(raise(106).await.id, first.id);
    assert_ne!(raise(107).await.id, first.id);
    assert!(fixture.store.claim_alarm(first.id, NOW).await.unwrap());
    assert!(!fixture.store.claim_alarm(first.id, NOW).await.unwrap());
    assert_eq!(raise(100).await.told_at, Some(NOW));
    fixture.store.release_alarm(first.id).await.unwrap();
    assert!(fixture.store.claim_alarm(first.id, NOW).await.unwrap());
    let other = NewAlarm { cut: Cut::All, ..alarm(100) };
    assert_ne!(fixture.store.raise_alarm(fixture.project, &other, NOW).await.unwrap().id, first.id);
}

#[tokio::test]
async fn the_settings_that_were_saved_last_count() {
    let fixture = Fixture::new(0).await;
    assert_eq!(fixture.store.watch_settings(fixture.project).await.unwrap(), WatchSettings::default());
    for (minutes, share) in [(1, 0.1), (2, 0.2)] {
        let settings = WatchSettings { sample: share, ..WatchSettings::default() };
        fixture.store.save_watch_settings(fixture.project, &settings, None, after(minutes)).await.unwrap();
        assert_eq!(fixture.store.watch_settings(fixture.project).await.unwrap(), settings);
    }
}

#[tokio::test]
async fn a_calibration_reads_as_it_was_written() {
    let fixture = Fixture::new(0).await;
    let calibration = |at, shift| Calibration {
        dimension: "helpfulness".to_owned(),
        judge: "strict".to_owned(),
        version: "1".to_owned(),
        reported_model: Some("m-1".to_owned()),
        fingerprint: "f".to_owned(),
        anchor_set: "gold@1".to_owned(),
        shift,
        at,
    };
    let known = calibration(after(2), with_known_error(0.06, 0.01, 100, &Inference::analytic()));
    let earlier = calibration(NOW, Estimate::defined(0.0, 100, 0));
    for found in [&known, &earlier] {
        fixture.store.record_calibration(fixture.project, found, after(3)).await.unwrap();
    }
    assert_eq!(fixture.store.calibrations(fixture.project).await.unwrap(), [earlier, known]);
    assert!(fixture.execute("delete from calibration").await.is_err());
}
