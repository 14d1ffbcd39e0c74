-- In which columns of a table the fields of a conversation stand, by a name, so that the next file of the same kind needs no mapping.
create table column_mapping (
    project_id blob not null references project (id),
    name text not null,
    -- field: column, as JSON
    columns text not null,
    changed_at integer not null,
    primary key (project_id, name)
) strict, without rowid;
