use super::*;
use crate::fixture::{Fixture, NOW, after};

#[tokio::test]
async fn each_text_is_a_version_and_the_same_text_is_none() {
    let fixture = Fixture::new(0).await;
    let ada = fixture.user("Ada").await;
    let hash = ContentHash("h".to_owned());
    let text = |n: u32| format!("name = \"upgrade\"\n[rules]\nminimum_n = {n}\n");
    let save = async |n: u32, at| {
        fixture.store.save_policy(fixture.project, &text(n), &hash, Some(ada), at).await.unwrap()
    };
    assert_eq!(fixture.store.policies(fixture.project).await.unwrap(), []);
    let first = save(50, NOW).await;
    assert_eq!((first.version, first.name.as_str(), first.by.as_deref()), (1, "upgrade", Some("Ada")));
    assert_eq!(save(50, after(1)).await, first, "the same text");
    let second = save(60, after(2)).await;
    assert_eq!(second.version, 2);
    assert_eq!(save(50, after(3)).await.version, 3, "an old text again is a new version");
    let kept: Vec<u32> =
        fixture.store.policies(fixture.project).await.unwrap().iter().map(|kept| kept.version).collect();
    assert_eq!(kept, [3, 2, 1]);
}
