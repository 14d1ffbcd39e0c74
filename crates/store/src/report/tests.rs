use crate::fixture::{Fixture, NOW, after};

#[tokio::test]
async fn a_report_is_kept_under_its_key() {
    let fixture = Fixture::new(0).await;
    assert_eq!(fixture.store.report("k").await.unwrap(), None);
    fixture.store.put_report("k", "{}", NOW).await.unwrap();
    fixture.store.put_report("k", "[1]", after(1)).await.unwrap();
    assert_eq!(fixture.store.report("k").await.unwrap().as_deref(), Some("[1]"));
}
