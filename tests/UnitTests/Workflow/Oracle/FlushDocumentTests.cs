using Workflow.Contracts.DeadLetters;

namespace UnitTests.Workflow.Oracle;

/// <summary>The document of a batch and the statement that unpacks it have the same members.</summary>
public sealed class FlushDocumentTests
{
    private static readonly DateTimeOffset Now = new(2026, 3, 4, 5, 6, 7, 891, 234, TimeSpan.Zero);
    private static readonly Guid Id = Guid.Parse("01a1fd55-bee8-7eca-a8b8-844f780c7d08");

    [Fact]
    public async Task Members_of_each_row_are_the_paths_that_are_read_of_it()
    {
        var document = await DocumentAsync(Full());
        var paths = OracleSql.Paths(OracleSql.Statement("flush"));
        var lists = document.EnumerateObject().Where(m => m.Value.ValueKind == JsonValueKind.Array).ToList();

        Assert.Equal(22, lists.Count);
        Assert.All(lists, list =>
        {
            var read = paths[list.Name].Distinct();
            Assert.NotEqual(0, list.Value.GetArrayLength());
            Assert.All(list.Value.EnumerateArray(), row => Assert.Equal(
                read.Order(StringComparer.Ordinal),
                row.EnumerateObject().Select(m => m.Name).Order(StringComparer.Ordinal)));
        });
        Assert.Equal(
            lists.Select(l => l.Name).Append("").Order(StringComparer.Ordinal),
            paths.Select(p => p.Key).Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Head_says_the_fence_and_how_long_each_list_is()
    {
        var document = await DocumentAsync(Full());
        var head = document.EnumerateObject().Where(m => m.Value.ValueKind == JsonValueKind.Number).Select(m => m.Name);
        var counts = document.GetProperty("counts").EnumerateObject().ToList();

        Assert.Equal(
            OracleSql.Paths(OracleSql.Statement("flush"))[""].Order(StringComparer.Ordinal),
            head.Concat(counts.Select(c => "counts." + c.Name)).Order(StringComparer.Ordinal));
        Assert.Equal((7, 42L, 3L, 2L, 1L), (
            document.GetProperty("lane").GetInt32(),
            document.GetProperty("epoch").GetInt64(),
            document.GetProperty("number").GetInt64(),
            document.GetProperty("lastSequence").GetInt64(),
            document.GetProperty("publishedSequence").GetInt64()));
        Assert.All(
            counts, count => Assert.Equal(document.GetProperty(count.Name).GetArrayLength(), count.Value.GetInt32()));
    }

    [Fact]
    public async Task Empty_lists_and_null_members_are_written()
    {
        var batch = new FlushBatch { Number = 1 };
        batch.Tasks.Add(OpenTask());
        var document = await DocumentAsync(batch);

        Assert.Equal(22, document.EnumerateObject().Count(m => m.Value.ValueKind == JsonValueKind.Array));
        var task = document.GetProperty("tasksAdded")[0];
        Assert.All(
            ["correlationKey", "assignee", "output", "dueUtc"],
            name => Assert.Equal(JsonValueKind.Null, task.GetProperty(name).ValueKind));
    }

    [Fact]
    public async Task Ids_and_instants_have_the_form_that_the_statement_reads()
    {
        var batch = new FlushBatch { Number = 1 };
        batch.Tasks.Add(OpenTask() with { DueUtc = Now.ToOffset(TimeSpan.FromHours(2)).AddHours(-2) });
        var task = (await DocumentAsync(batch)).GetProperty("tasksAdded")[0];

        Assert.Equal("01A1FD55BEE87ECAA8B8844F780C7D08", task.GetProperty("id").GetString());
        Assert.Equal("2026-03-04T05:06:07.8912340", task.GetProperty("createdUtc").GetString());
        Assert.Equal("2026-03-04T03:06:07.8912340", task.GetProperty("dueUtc").GetString());
    }

    [Fact]
    public async Task Text_passes_through_unchanged()
    {
        const string Text = "{\"text\":\"\\u0000 'ü' 漢 😀 </script>\"}";
        var batch = new FlushBatch { Number = 1 };
        batch.Pending.Add(new(Id, 0, PendingKind.Message, 1, Text));

        Assert.Equal(Text, (await DocumentAsync(batch)).GetProperty("pendingAdded")[0].GetProperty("body").GetString());
    }

    [Fact]
    public async Task Instance_ended_in_its_first_batch_is_not_updated()
    {
        var batch = new FlushBatch { Number = 1 };
        batch.Instances.Add(new(InstanceOrigin.New, Over(1)));
        batch.Instances.Add(new(InstanceOrigin.Live, Over(2)));
        var document = await DocumentAsync(batch);

        Assert.Equal(1,
            Assert.Single(document.GetProperty("finishedAtOnce").EnumerateArray()).GetProperty("revision").GetInt64());
        Assert.Equal(
            2, Assert.Single(document.GetProperty("finished").EnumerateArray()).GetProperty("revision").GetInt64());
    }

    [Fact]
    public async Task Woken_instance_is_moved_and_then_changed_as_a_live_one()
    {
        var batch = new FlushBatch { Number = 1 };
        batch.Instances.Add(new(InstanceOrigin.Dormant, Instance(5)));
        batch.Instances.Add(new(InstanceOrigin.Dormant, Over(7)));
        batch.Instances.Add(new(InstanceOrigin.Live, Instance(3)));
        batch.DormantWaitsRemoved.Add(new(long.MinValue, Id));
        var document = await DocumentAsync(batch);

        Assert.Equal([4, 6], Revisions("woken"));
        Assert.Equal([3, 5], Revisions("updated"));
        Assert.Equal([7], Revisions("finished"));
        Assert.Equal(long.MinValue, document.GetProperty("dormantWaitsRemoved")[0].GetProperty("slot").GetInt64());

        IEnumerable<long> Revisions(string list) =>
            document.GetProperty(list).EnumerateArray().Select(row => row.GetProperty("revision").GetInt64());
    }

    [Fact]
    public async Task Long_history_is_in_a_separate_row()
    {
        var batch = new FlushBatch { Number = 1 };
        batch.Instances.AddRange(
            new[] { Instance(8), Instance(9), Over(10) }.Select(row => new InstanceWrite(InstanceOrigin.Live, row)));
        var document = await DocumentAsync(batch);

        Assert.Equal(["line\n", ""],
            document.GetProperty("updated").EnumerateArray().Select(row => row.GetProperty("history").GetString()));
        Assert.Equal(
            [9, 10], document.GetProperty("historyAdded").EnumerateArray()
                .Select(row => row.GetProperty("revision").GetInt64()));
    }

    [Fact]
    public async Task Messages_for_inboxes_have_the_members_that_are_read_of_them()
    {
        var oracle = new FakeOracle();
        await using var store = OracleStoreTests.Store(oracle);
        await store.Cluster.PutAsync(
            [
                new(new(Id, 3, PendingKind.Message, 1, """{"start":{}}"""), new("start:a", "hash", Id, Now)),
                new(new(Id, 3, PendingKind.Message, 2, """{"signal":{}}""")),
            ], Cancel);

        var document = Parsed(Assert.Single(oracle.CallsOf("put_messages")), "p_messages");
        var read = OracleSql.Paths(OracleSql.Statement("put_messages"))[""].Order(StringComparer.Ordinal);
        Assert.All(document.EnumerateArray(), message =>
            Assert.Equal(read, message.EnumerateObject().Select(m => m.Name).Order(StringComparer.Ordinal)));
        Assert.Equal(JsonValueKind.Null, document[1].GetProperty("key").ValueKind);
    }

    internal static FlushBatch Full()
    {
        var batch = new FlushBatch { Number = 3, LastSequence = 2, PublishedSequence = 1 };
        batch.Instances.AddRange(
        [
            new(InstanceOrigin.New, Instance(1)), new(InstanceOrigin.Live, Instance(9)),
            new(InstanceOrigin.New, Over(1)), new(InstanceOrigin.Live, Over(3)),
            new(InstanceOrigin.Failed, Instance(4)), new(InstanceOrigin.Failed, Over(5)),
        ]);
        batch.Instances.Add(new(InstanceOrigin.Dormant, Instance(6)));
        batch.Dormant.Add(new(Id, 1, Now, [new DormantWait(-7, Id)]));
        batch.DormantWaitsRemoved.Add(new(-7, Id));
        batch.Pending.Add(new(Id, 0, PendingKind.Signal, 1, "{}"));
        batch.PendingRemoved.Add(Id);
        batch.Tasks.Add(OpenTask());
        batch.Tasks.Add(new TaskChange(Id, TaskState.Completed, "ann", "{}", Now));
        batch.Children.Add(new(Id, Id));
        batch.Replies.Add(new(Id, "{}", Now));
        batch.Keys.Add(new("start:a", "hash", Id, Now));
        batch.DeadLetters.Add(new DeadLetterRow
        {
            Id = Id, Partition = 0, Kind = DeadLetterKind.Signal, SubjectId = Id, Reason = "refused", Attempts = 1,
            Payload = "{}",
            CreatedUtc = Now, LastAttemptUtc = Now,
        });
        batch.DeadLetters.Add(new DeadLetterChange(Id, "again", 2, Now, null));
        batch.Events.Add(new(0, 2, "InstanceCompleted", "order", "{}"u8.ToArray(), Now));
        return batch;
    }

    private static TaskRow OpenTask() => new()
    {
        Id = Id, Partition = 0, InstanceId = Id, Definition = "order", DefinitionVersion = 3, Step = "check",
        State = TaskState.Open,
        Groups = ["a", "a"], CreatedUtc = Now, UpdatedUtc = Now,
    };

    private static InstanceRow Over(long revision) => Instance(revision) with { State = InstanceState.Failed };

    private static InstanceRow Instance(long revision) => new()
    {
        Id = Id,
        Partition = 0,
        Definition = "order",
        DefinitionVersion = 3,
        Revision = revision,
        State = InstanceState.Waiting,
        CorrelationKey = "key",
        Body = "{}",
        History = "line\n",
        CreatedUtc = Now,
        UpdatedUtc = Now,
    };

    private static async Task<JsonElement> DocumentAsync(FlushBatch batch)
    {
        var oracle = new FakeOracle
        {
            Answer = call => call.Name == "take_lane"
                ? new()
                {
                    Outputs = new Dictionary<string, object?>
                    {
                        ["p_epoch"] = 42L, ["p_last_batch"] = 2L, ["p_last_sequence"] = 1L,
                        ["p_published_sequence"] = 1L,
                        ["p_last_message"] = 0L, ["p_last_position"] = 0L, ["p_residents"] = 0L, ["p_dormant"] = 0L,
                        ["p_dormant_tasks"] = 0L,
                    },
                }
                : null,
        };
        await using var store = OracleStoreTests.Store(oracle);
        await using var lane = await store.OpenLaneAsync(new(7, 8), Cancel);
        await lane.LoadAsync(Cancel);
        await lane.FlushAsync(batch, Cancel);
        return Parsed(Assert.Single(oracle.CallsOf("flush")), "p_batch");
    }

    private static JsonElement Parsed(FakeCall call, string bind)
    {
        Assert.Equal([bind], call.Documents);
        return JsonDocument.Parse((string)call.Values[bind]!).RootElement;
    }
}
