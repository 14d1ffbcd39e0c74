-- What is asked, of which conversations, and what people said.

create table rubric_version (
    id blob primary key not null,
    project_id blob not null references project (id),
    name text not null,
    version integer not null check (version > 0),
    body text not null,
    hash text not null,
    published_at integer not null,
    unique (project_id, name, version)
) strict;
create trigger rubric_version_never_changes before update on rubric_version begin select raise(abort, 'a published rubric version never changes'); end;
create trigger rubric_version_never_goes before delete on rubric_version begin select raise(abort, 'a published rubric version never changes'); end;

create table conversation (
    id blob primary key not null,
    project_id blob not null references project (id),
    -- id in the source system
    external_id text not null,
    -- order of import
    position integer not null,
    cluster text not null,
    category text,
    corpus text,
    system text,
    language text,
    occurred_at integer,
    content_hash text not null,
    -- the row as it was given, redacted, as JSON
    body text not null,
    imported_at integer not null,
    unique (project_id, external_id)
) strict;
create index conversation_by_position on conversation (project_id, position);

-- A person or crowd worker under whose name labels stand; a user where they were given here.
create table annotator (
    id blob primary key not null,
    project_id blob not null references project (id),
    name text not null,
    user_id blob references user (id),
    unique (project_id, name)
) strict;
create unique index annotator_of_user on annotator (project_id, user_id) where user_id is not null;

-- One conversation given to one person. Open until it is submitted or skipped; what others said of it is sealed while it is open.
create table assignment (
    id blob primary key not null,
    project_id blob not null references project (id),
    conversation_id blob not null references conversation (id),
    user_id blob not null references user (id),
    state text not null check (state in ('open', 'submitted', 'skipped')),
    skip_reason text,
    assigned_at integer not null,
    closed_at integer,
    unique (conversation_id, user_id)
) strict;
create index assignment_open_by_user on assignment (user_id, conversation_id) where state = 'open';
create index assignment_by_state on assignment (project_id, state, conversation_id);
create index assignment_by_user on assignment (project_id, user_id, state);
create index assignment_by_conversation on assignment (conversation_id, state, user_id);

-- How many annotators each conversation has, so that the next one is found without counting them all. The triggers count anew at each
-- change: the number cannot drift.
create table queue (
    conversation_id blob primary key not null references conversation (id),
    project_id blob not null references project (id),
    position integer not null,
    takers integer not null default 0
) strict, without rowid;
create index queue_by_takers on queue (project_id, takers desc, position);
create trigger queue_follows_conversation after insert on conversation begin
    insert into queue (conversation_id, project_id, position) values (new.id, new.project_id, new.position);
end;
create trigger queue_follows_new_assignment after insert on assignment begin
    update queue
    set takers = (
        select count(*) from assignment a
        where a.conversation_id = new.conversation_id and a.state in ('open', 'submitted')
    )
    where conversation_id = new.conversation_id;
end;
create trigger queue_follows_assignment after update of state on assignment begin
    update queue
    set takers = (
        select count(*) from assignment a
        where a.conversation_id = new.conversation_id and a.state in ('open', 'submitted')
    )
    where conversation_id = new.conversation_id;
end;

-- Append-only. A null value withdraws what it supersedes.
create table label (
    id blob primary key not null,
    project_id blob not null references project (id),
    conversation_id blob not null references conversation (id),
    annotator_id blob not null references annotator (id),
    rubric_version_id blob not null references rubric_version (id),
    unit text not null,
    criterion text not null,
    pass integer not null default 0 check (pass >= 0),
    value real,
    comment text,
    flag integer not null default 0 check (flag in (0, 1)),
    seconds real,
    -- the label that this one replaces, and that nothing else may replace
    supersedes blob references label (id),
    -- given by the browser, so that a save that is sent twice is stored once
    client_key text,
    labelled_at integer,
    recorded_at integer not null
) strict;
create unique index label_is_superseded_once on label (supersedes) where supersedes is not null;
create unique index label_by_client_key on label (annotator_id, client_key) where client_key is not null;
-- One first label for each (annotator, conversation, unit, criterion, pass); what follows must supersede.
create unique index label_begins_once on label (conversation_id, annotator_id, criterion, unit, pass) where supersedes is null;
create index label_by_project on label (project_id, criterion);
create index label_by_conversation on label (conversation_id, annotator_id);
create trigger label_is_append_only_on_update before update on label begin select raise(abort, 'labels are append-only'); end;
create trigger label_is_append_only_on_delete before delete on label begin select raise(abort, 'labels are append-only'); end;

-- What counts: the last label of each chain, unless it withdraws; of a user only what was submitted.
create view counted_label as
select l.*
from label l
join annotator a on a.id = l.annotator_id
where l.value is not null
    and not exists (select 1 from label later where later.supersedes = l.id)
    and (
        a.user_id is null
        or exists (
            select 1 from assignment done
            where done.conversation_id = l.conversation_id and done.state = 'submitted' and done.user_id = a.user_id
        )
    );
