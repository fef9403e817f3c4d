namespace UnitTests.Workflow.Oracle;

public sealed class OracleLaneTests
{
    [Fact]
    public async Task Flush_is_one_statement_with_one_document()
    {
        var oracle = new FakeOracle();
        await using var store = OracleStoreTests.Store(oracle);
        await using var lane = await store.OpenLaneAsync(new(0, 1), Cancel);
        await lane.LoadAsync(Cancel);
        var before = oracle.Calls.Count;
        await lane.FlushAsync(FlushDocumentTests.Full(), Cancel);

        var call = Assert.Single(oracle.Calls.Skip(before));
        Assert.Equal("flush", call.Name);
        Assert.Equal(["p_batch"], call.Values.Keys);
        Assert.Equal(["p_batch"], call.Documents);
        Assert.False(
            call.IsInTransaction, "the block commits; a transaction of the client would need a second round trip");
        Assert.Equal(20, call.Seconds);
    }

    [Fact]
    public async Task Lane_has_its_own_connection()
    {
        var oracle = new FakeOracle();
        await using var store = OracleStoreTests.Store(oracle);
        var lane = await store.OpenLaneAsync(new(0, 1), Cancel);
        await lane.LoadAsync(Cancel);

        Assert.Equal(1, oracle.Open);
        Assert.All(oracle.Calls,
            call => Assert.Contains("Pooling=false", call.ConnectionString, StringComparison.OrdinalIgnoreCase));
        await lane.DisposeAsync();
        Assert.Equal(0, oracle.Open);
    }

    [Theory]
    [InlineData(20001, FlushFailure.Fenced)]
    [InlineData(20002, FlushFailure.Stale)]
    [InlineData(1, FlushFailure.Stale)]
    [InlineData(60, FlushFailure.Conflict)]
    [InlineData(8177, FlushFailure.Conflict)]
    [InlineData(20003, FlushFailure.Rejected)]
    [InlineData(1400, FlushFailure.Rejected)]
    [InlineData(1438, FlushFailure.Rejected)]
    [InlineData(1461, FlushFailure.Rejected)]
    [InlineData(1843, FlushFailure.Rejected)]
    [InlineData(2290, FlushFailure.Rejected)]
    [InlineData(2291, FlushFailure.Rejected)]
    [InlineData(6502, FlushFailure.Rejected)]
    [InlineData(40441, FlushFailure.Rejected)]
    [InlineData(40478, FlushFailure.Rejected)]
    [InlineData(12899, FlushFailure.Rejected)]
    [InlineData(3113, FlushFailure.Unavailable)]
    [InlineData(3114, FlushFailure.Unavailable)]
    [InlineData(3135, FlushFailure.Unavailable)]
    [InlineData(12170, FlushFailure.Unavailable)]
    [InlineData(12541, FlushFailure.Unavailable)]
    [InlineData(1013, FlushFailure.Unavailable)]
    [InlineData(1653, FlushFailure.Unavailable)]
    [InlineData(50000, FlushFailure.Unavailable)]
    [InlineData(600, FlushFailure.Unavailable)]
    [InlineData(603, FlushFailure.Unavailable)]
    [InlineData(942, FlushFailure.Unavailable)]
    [InlineData(1950, FlushFailure.Unavailable)]
    [InlineData(4036, FlushFailure.Unavailable)]
    [InlineData(7445, FlushFailure.Unavailable)]
    [InlineData(16000, FlushFailure.Unavailable)]
    [InlineData(16456, FlushFailure.Unavailable)]
    [InlineData(25402, FlushFailure.Unavailable)]
    [InlineData(25408, FlushFailure.Unavailable)]
    public async Task Error_of_a_flush_means(int number, FlushFailure expected)
    {
        var oracle = new FakeOracle { Answer = call => call.Name == "flush" ? FakeAnswer.Failing(number) : null };
        await using var store = OracleStoreTests.Store(oracle);
        await using var lane = await store.OpenLaneAsync(new(0, 1), Cancel);
        await lane.LoadAsync(Cancel);

        var error = await Assert.ThrowsAsync<FlushException>(() => lane.FlushAsync(FlushDocumentTests.Full(), Cancel));

        Assert.Equal(expected, error.Failure);
        Assert.Contains($"ORA-{number:00000}", error.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("ORA-06512", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Flush_on_a_lost_connection_has_an_unknown_outcome()
    {
        var oracle = new FakeOracle
            { Answer = call => call.Name == "flush" ? new() { Error = new IOException("reset by peer") } : null };
        await using var store = OracleStoreTests.Store(oracle);
        await using var lane = await store.OpenLaneAsync(new(0, 1), Cancel);
        await lane.LoadAsync(Cancel);

        Assert.Equal(FlushFailure.Unavailable,
            (await Assert.ThrowsAsync<FlushException>(
                () => lane.FlushAsync(FlushDocumentTests.Full(), Cancel))).Failure);
        Assert.Single(oracle.CallsOf("flush"));
    }

    [Fact]
    public async Task Hung_server_is_given_up_after_the_limit()
    {
        var time = new ManualTime();
        var called = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var oracle = new FakeOracle
        {
            Answer = call =>
            {
                if (call.Name != "flush")
                {
                    return null;
                }

                called.SetResult();
                return new() { Hangs = true };
            },
        };
        await using var store = OracleStoreTests.Store(oracle, time);
        var lane = await store.OpenLaneAsync(new(0, 1), Cancel);
        await lane.LoadAsync(Cancel);
        var flush = Task.Run(() => lane.FlushAsync(FlushDocumentTests.Full(), Cancel), Cancel);
        await called.Task.WaitAsync(TimeSpan.FromSeconds(60), Cancel);
        await time.AdvanceUntilAsync(
            flush, TimeSpan.FromSeconds(1)); // The limit begins a moment after the server has seen the call.

        var error = await Assert.ThrowsAsync<FlushException>(() => flush);
        Assert.Equal(FlushFailure.Unavailable, error.Failure);
        await lane.DisposeAsync().AsTask().WaitAsync(TimeSpan.FromSeconds(60), Cancel);
    }

    [Fact]
    public async Task Lane_that_is_leased_to_another_node_has_moved()
    {
        var oracle = new FakeOracle { Answer = call => call.Name == "take_lane" ? FakeAnswer.Failing(20004) : null };
        await using var store = OracleStoreTests.Store(oracle);
        await using var lane = await store.OpenLaneAsync(new(3, 8) { Node = Guid.NewGuid() }, Cancel);

        await Assert.ThrowsAsync<LaneMovedException>(() => lane.LoadAsync(Cancel));
        Assert.Empty(oracle.CallsOf("load_instances"));
    }

    [Fact]
    public async Task Takeover_binds_the_node_in_text_byte_order()
    {
        var node = Guid.Parse("01a1fd55-bee8-7eca-a8b8-844f780c7d08");
        var oracle = new FakeOracle();
        await using var store = OracleStoreTests.Store(oracle);
        await using var lane = await store.OpenLaneAsync(new(3, 8) { Node = node }, Cancel);
        await lane.LoadAsync(Cancel);

        var take = Assert.Single(oracle.CallsOf("take_lane"));
        Assert.Equal(Convert.FromHexString("01A1FD55BEE87ECAA8B8844F780C7D08"), take.Values["p_node"]);
        Assert.Equal(
            [
                "p_epoch", "p_last_batch", "p_last_sequence", "p_published_sequence", "p_last_message",
                "p_last_position", "p_residents", "p_dormant", "p_dormant_tasks",
            ],
            take.Outputs.Keys);
    }

    [Fact]
    public async Task Dormant_instances_are_found_due_and_by_slot_in_their_lane_alone()
    {
        var (id, due) = (Guid.CreateVersion7(), new DateTime(2026, 3, 4, 5, 6, 7, 891));
        object?[] row =
        [
            id.ToByteArray(bigEndian: true), 3, "order", 1, 2L, 1, null, "{}", due, due, due,
        ];
        var oracle = new FakeOracle
        {
            Answer = call => call.Name switch
            {
                "find_dormant" => FakeAnswer.Row(row[..^1]),
                "read_due" => FakeAnswer.Row(row),
                "read_slots" => FakeAnswer.Row(-5L),
                _ => null,
            },
        };
        await using var store = OracleStoreTests.Store(oracle);
        await using var lane = await store.OpenLaneAsync(new(3, 8), Cancel);

        var found = await lane.Dormant.FindAsync(new() { Instances = [id], Slots = [-5, 6] }, Cancel);
        var read = await lane.Dormant.ReadDueAsync((due, id), DateTimeOffset.MaxValue, 10, Cancel);
        var slots = await lane.Dormant.ReadSlotsAsync(63, null, 10, Cancel);

        Assert.Equal((id, 2L), (Assert.Single(found).Id, found[0].Revision));
        Assert.Equal((id, due), (Assert.Single(read).Row.Id, read[0].DueUtc.UtcDateTime));
        Assert.Equal([-5], slots);
        Assert.Empty(await lane.Dormant.FindAsync(new(), Cancel));
        var find = Assert.Single(oracle.CallsOf("find_dormant"));
        Assert.Equal(("[-5,6]", "[]"), (find.Values["p_slots"], find.Values["p_tasks"]));
        Assert.All(
            [find, Assert.Single(oracle.CallsOf("read_due"))],
            call => Assert.Equal((8L, 3L), (call.Values["p_lane_count"], call.Values["p_lane"])));
    }
}
