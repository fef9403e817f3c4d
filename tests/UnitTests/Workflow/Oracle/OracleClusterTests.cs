namespace UnitTests.Workflow.Oracle;

public sealed class OracleClusterTests
{
    private static readonly byte[] RawId = Convert.FromHexString("01A1FD55BEE87ECAA8B8844F780C7D08");
    private static readonly Guid Id = Guid.Parse("01a1fd55-bee8-7eca-a8b8-844f780c7d08");
    private static readonly TimeSpan Lease = TimeSpan.FromSeconds(2);
    private static readonly DateTime Stored = new(2026, 3, 4, 5, 6, 7);

    [Fact]
    public async Task View_divides_lanes_from_nodes()
    {
        var oracle = new FakeOracle
        {
            Answer = call => call.Name == "view_cluster"
                ? new()
                {
                    Rows =
                    [
                        [0, 0, RawId, null, null, 1500L, 9L, 0, 2, 3L],
                        [0, 1, null, null, null, null, 0L, 0, 2, 3L],
                        [1, 0, RawId, "a", Stored, 0L, 0L, 1, 2, 0L],
                    ],
                }
                : null,
        };
        await using var store = OracleStoreTests.Store(oracle);
        var view = await store.Cluster.RenewAsync(Id, Lease, Cancel);

        Assert.Equal((2, 3L), (view.LaneCount, view.LastDefinition));
        Assert.Equal(
            [new LeaseRow(0, Id, TimeSpan.FromSeconds(1.5), 9), new LeaseRow(1, null, TimeSpan.Zero, 0)], view.Lanes);
        Assert.Equal([new NodeRow(Id, "a", new(Stored, TimeSpan.Zero), IsLive: true)], view.Nodes);
        Assert.Equal(["renew_leases", "view_cluster"], oracle.Calls.Select(c => c.Name));
        Assert.Equal(2000L, oracle.Calls[0].Values["p_lease_ms"]);
    }

    [Fact]
    public async Task Node_with_another_number_of_lanes_learns_the_holder()
    {
        var oracle = new FakeOracle
        {
            Answer = _ =>
                new() { Outputs = new Dictionary<string, object?> { ["p_current"] = 4L, ["p_names"] = "a, b" } },
        };
        await using var store = OracleStoreTests.Store(oracle);

        var error = await Assert.ThrowsAsync<LaneCountMismatchException>(
            () => store.Cluster.JoinAsync(new(Id, "c"), 8, Lease, Cancel));

        Assert.Equal(4, error.Current);
        Assert.Contains("a, b", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Node_joins_claims_releases_and_leaves_with_one_call_each()
    {
        var oracle = new FakeOracle
        {
            Answer = call => call.Name switch
            {
                "join_cluster" =>
                    new() { Outputs = new Dictionary<string, object?> { ["p_current"] = null, ["p_names"] = null } },
                "claim_lanes" => new() { Outputs = new Dictionary<string, object?> { ["p_taken"] = ",0,7" } },
                _ => null,
            },
        };
        await using var store = OracleStoreTests.Store(oracle);
        await store.Cluster.JoinAsync(new(Id, "c"), 8, Lease, Cancel);

        Assert.Equal([0, 7], await store.Cluster.ClaimAsync(Id, [0, 3, 7], Lease, Cancel));
        await store.Cluster.ReleaseAsync(Id, [7], Cancel);
        await store.Cluster.LeaveAsync(Id, Cancel);
        Assert.Equal(
            ["join_cluster", "claim_lanes", "release_lanes", "leave_cluster"], oracle.Calls.Select(c => c.Name));
        Assert.Equal("[0,3,7]", oracle.Calls[1].Values["p_lanes"]);
    }

    [Fact]
    public async Task Renewals_do_not_wait_behind_reads()
    {
        var oracle = new FakeOracle
        {
            Answer = call =>
                call.Name == "view_cluster" ? FakeAnswer.Row(0, 0, null, null, null, null, 0L, 0, 1, 0L) : null,
        };
        await using var store = OracleStoreTests.Store(oracle);
        await store.FindInstanceAsync(Id, Cancel);
        await store.Cluster.RenewAsync(Id, Lease, Cancel);

        Assert.All(oracle.Calls,
            call => Assert.Contains("Pooling=true", call.ConnectionString, StringComparison.OrdinalIgnoreCase));
        Assert.NotEqual(
            oracle.CallsOf("find_instance")[0].ConnectionString, oracle.CallsOf("renew_leases")[0].ConnectionString);
    }

    [Fact]
    public async Task Empty_lists_ask_the_server_nothing()
    {
        var oracle = new FakeOracle();
        await using var store = OracleStoreTests.Store(oracle);

        Assert.Empty(await store.Cluster.ClaimAsync(Id, [], Lease, Cancel));
        Assert.Empty(await store.Cluster.PutAsync([], Cancel));
        Assert.Empty(await store.Cluster.ReadInboxAsync([], 10, Cancel));
        Assert.Empty(await store.Cluster.TakeRepliesAsync([], Cancel));
        await store.Cluster.ReleaseAsync(Id, [], Cancel);
        Assert.Empty(oracle.Calls);
    }

    [Fact]
    public async Task Messages_with_unreadable_keys_have_an_unknown_outcome()
    {
        var oracle = new FakeOracle { Answer = call => call.Name == "find_keys" ? FakeAnswer.Failing(12541) : null };
        await using var store = OracleStoreTests.Store(oracle);
        InboxMessage message = new(StoreRows.Message(Id), new("signal:a", "hash", Id, StoreRows.Now));

        var error =
            await Assert.ThrowsAsync<StoreUnavailableException>(() => store.Cluster.PutAsync([message], Cancel));

        Assert.True(error.OutcomeUnknown);
        Assert.Single(oracle.CallsOf("put_messages"));
    }

    [Fact]
    public async Task Only_replies_that_were_read_are_removed()
    {
        var oracle = new FakeOracle
            { Answer = call => call.Name == "read_replies" ? FakeAnswer.Row(RawId, "{}", Stored) : null };
        await using var store = OracleStoreTests.Store(oracle);

        Assert.Equal(
            [new ReplyRow(Id, "{}", new(Stored, TimeSpan.Zero))],
            await store.Cluster.TakeRepliesAsync([Guid.NewGuid(), Id], Cancel));
        Assert.Equal("[{\"id\":\"01A1FD55BEE87ECAA8B8844F780C7D08\"}]",
            oracle.CallsOf("remove_replies")[0].Values["p_messages"]);
    }

    [Fact]
    public async Task Inboxes_and_stream_ends_are_read()
    {
        var oracle = new FakeOracle
        {
            Answer = call => call.Name switch
            {
                "read_inbox" => FakeAnswer.Row(RawId, 8, 2, 5L, """{"signal":{}}"""),
                "read_stream_ends" => FakeAnswer.Row(1, 77L),
                _ => null,
            },
        };
        await using var store = OracleStoreTests.Store(oracle);

        Assert.Equal(
            [new PendingRow(Id, 8, PendingKind.Message, 5, """{"signal":{}}""")],
            await store.Cluster.ReadInboxAsync([new(0, 4), new(2, 4)], 10, Cancel));
        Assert.Equal((4L, "[0,2]", 10L), (oracle.CallsOf("read_inbox")[0].Values["p_lane_count"],
            oracle.CallsOf("read_inbox")[0].Values["p_lanes"], oracle.CallsOf("read_inbox")[0].Values["p_limit"]));
        Assert.Equal(77, (await store.Cluster.ReadStreamEndsAsync(Cancel))[1]);
    }
}
