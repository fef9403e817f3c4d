using Workflow.Diagrams.Graphs;

namespace UnitTests.Workflow.Diagrams;

public sealed class StateOverlayTests
{
    private static readonly WorkflowDefinition Order = SampleDiagram.All[0].Definition;
    private static readonly (string, string?)[] UntilCheck =
        [("started", "prepare"), ("waiting", "wait"), ("signalled", "wait"), ("waiting", "pause"), ("resumed", "pause"), ("waiting", "check")];

    [Fact]
    public void Steps_without_history_are_done_where_no_other_way_leads_past_them()
    {
        var overlay = Of(Order, SampleDiagram.Instance(Order, InstanceState.Waiting, Wait("check", "task")), UntilCheck);

        Assert.Equal("prepare route wait pause check:Waiting", Shown(overlay, "prepare", "route", "split", "stock", "both", "wait", "pause", "check", "late"));
        Assert.Contains("wait:next", overlay.Taken);
        Assert.DoesNotContain("wait:onTimeout", overlay.Taken);
        Assert.DoesNotContain("route:otherwise", overlay.Taken); // Both ways are open from what the history says.
    }

    [Fact]
    public void Decision_that_the_history_has_marks_its_edge_and_what_follows()
    {
        IReadOnlyList<HistoryEntry> history = [new(default, "set", "prepare"), new(default, "decided", "route", "wait"), new(default, "waiting", "wait")];

        var overlay = StateOverlay.Of(GraphBuilder.Build(Order), SampleDiagram.Instance(Order, InstanceState.Waiting, Wait("wait", "signal")), history);

        Assert.Equal("prepare route wait:Waiting", Shown(overlay, "prepare", "route", "split", "stock", "both", "wait", "pause"));
        Assert.Contains("route:otherwise", overlay.Taken);
        Assert.DoesNotContain("route:cases[0]", overlay.Taken);
    }

    [Fact]
    public void Timeout_marks_the_edge_that_was_taken_and_the_failed_step()
    {
        var failed = SampleDiagram.Instance(Order, InstanceState.Failed) with { Error = new InstanceError("too late", "late") };

        var overlay = Of(Order, failed, [("started", "prepare"), ("waiting", "wait"), ("timedOut", "wait"), ("failed", "late")]);

        Assert.Equal("prepare route wait late:Failed", Shown(overlay, "prepare", "route", "split", "wait", "pause", "late"));
        Assert.Contains("wait:onTimeout", overlay.Taken);
        Assert.DoesNotContain("wait:next", overlay.Taken);
    }

    [Fact]
    public void Running_activity_is_active_and_one_that_waits_for_its_next_attempt_waits()
    {
        var now = SampleDiagram.Instance(Order, InstanceState.Running, Wait("send", "activity"));
        var later = SampleDiagram.Instance(Order, InstanceState.Waiting, Wait("send", "activity") with { FailedAttempts = 1, NextAttemptAt = default(DateTimeOffset) });

        Assert.Equal(NodeState.Active, Of(Order, now, []).StateOf("send"));
        Assert.Equal(NodeState.Waiting, Of(Order, later, []).StateOf("send"));
    }

    [Fact]
    public void Events_that_came_and_branches_that_were_taken_mark_their_edges_and_no_others()
    {
        var overlay = SampleDiagram.All.Single(sample => sample.Name == "events").Overlay!;

        Assert.Equal("wait wait:events[0] what wrap check:Waiting remind",
            Shown(overlay, "wait", "wait:events[0]", "wait:events[1]", "what", "wrap", "check", "remind", "note", "ready"));
        Assert.Superset(
            new HashSet<string> { "wait:events[0]:begin", "wait:events[0]:next", "what:cases[0]", "what:cases[1]", "wrap:next", "check:boundary[0]" },
            new HashSet<string>(overlay.Taken));
        Assert.Empty(overlay.Taken.Intersect(
            ["wait:events[1]:begin", "what:otherwise", "check:next", "check:boundary[1]", "check:boundary[2]", "wrap:onError"]));
    }

    [Fact]
    public void Loop_that_waits_again_is_shown_as_waiting()
    {
        var retries = SampleDiagram.All.Single(sample => sample.Name == "retries").Definition;
        var overlay = Of(retries, SampleDiagram.Instance(retries, InstanceState.Running, Wait("fetch", "activity")),
            [("started", "fetch"), ("waiting", "fetch"), ("timedOut", "fetch"), ("waiting", "fetch"), ("activityFailed", "fetch"), ("waiting", "pause"), ("resumed", "pause"), ("waiting", "fetch")]);

        Assert.Equal("fetch:Active count again pause", Shown(overlay, "fetch", "count", "again", "pause", "valid", "givenUp"));
        Assert.Contains("fetch:onTimeout", overlay.Taken);
        Assert.Contains("fetch:onError", overlay.Taken);
        Assert.Contains("count:next", overlay.Taken);
    }

    [Fact]
    public void Join_is_done_once_no_branch_rests_before_it()
    {
        var forks = SampleDiagram.All.Single(sample => sample.Name == "nested-forks").Definition;
        var open = Of(forks, SampleDiagram.Instance(forks, InstanceState.Waiting, Wait("documents", "task"), Wait("scoring", "signal")),
            [("started", "begin"), ("waiting", "documents"), ("waiting", "credit"), ("waiting", "scoring"), ("returned", "credit")]);
        var atEnd = Of(forks, SampleDiagram.Instance(forks, InstanceState.Running, Wait("stop", "activity")),
            [("waiting", "documents"), ("waiting", "credit"), ("waiting", "scoring"), ("returned", "credit"), ("taskCompleted", "documents"), ("signalled", "scoring")]);

        Assert.Equal("begin split stock limit both documents:Waiting scoring:Waiting", Shown(open, "begin", "split", "stock", "limit", "both", "documents", "scoring", "complete", "stop"));
        Assert.Equal(NodeState.Done, atEnd.StateOf("complete"));
    }

    [Fact]
    public void Branches_of_a_fork_that_failed_are_not_taken_for_done()
    {
        var forks = SampleDiagram.All.Single(sample => sample.Name == "nested-forks").Definition;
        var overlay = Of(forks, SampleDiagram.Instance(forks, InstanceState.Failed) with { Error = new InstanceError("x", "documents") }, [("started", "begin"), ("failed", "documents")]);

        Assert.Equal("begin documents:Failed", Shown(overlay, "begin", "documents", "split", "stock", "scoring"));
    }

    [Fact]
    public void Steps_that_the_definition_does_not_have_are_left_out()
    {
        var overlay = Of(Order, SampleDiagram.Instance(Order, InstanceState.Running), [("started", "gone"), ("entered", "prepare")]);

        Assert.DoesNotContain("gone", overlay.States.Keys);
        Assert.Equal(NodeState.Done, overlay.StateOf("prepare"));
    }

    /// <summary>The history has the first of them alone; the others follow from each other.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Steps_of_a_long_chain_are_concluded_in_less_than_a_second(bool backwards)
    {
        // Where the first step leads to each of them, from the last to the first, the graph has them in that order, too.
        const int Steps = 990;
        var cases = string.Join(", ", Enumerable.Range(0, backwards ? Steps : 1).Reverse()
            .Select(i => $$"""{ "when": "= b", "next": "s{{i}}" }"""));
        var chain = Enumerable.Range(0, Steps).Select(i =>
            $$"""s{{i}}": { "type": "set", "values": { "a": 1 }, "next": "{{(i + 1 < Steps ? $"s{i + 1}" : "e")}}" }""");
        var definition = SampleDiagram.Define("chain", "d", $$"""
            "d": { "type": "decide", "cases": [ {{cases}} ], "otherwise": "s0" }, "{{string.Join(", \"", chain)}}, "e": { "type": "end" }
            """);
        var graph = GraphBuilder.Build(definition);
        var instance = SampleDiagram.Instance(definition, InstanceState.Completed);
        IReadOnlyList<HistoryEntry> history =
            [new(default, "started"), .. Enumerable.Range(0, 400).Select(i => new HistoryEntry(default, "set", $"s{i}")), new(default, "truncated")];
        DiagramOverlay? overlay = null;

        Assert.InRange(LayoutPropertyTests.Seconds(() => overlay = StateOverlay.Of(graph, instance, history)), 0, 1);
        Assert.All(definition.Steps.Keys, step => Assert.Equal(NodeState.Done, overlay!.StateOf(step)));
        Assert.Contains($"s{Steps - 1}:next", overlay!.Taken);
    }

    [Fact]
    public void Instances_are_counted_where_they_stand()
    {
        var waits = SampleDiagram.Instance(Order, InstanceState.Waiting, Wait("stock", "signal"), Wait("credit", "activity"), Wait("credit", "activity"));
        var failed = SampleDiagram.Instance(Order, InstanceState.Failed) with { Error = new InstanceError("x", "credit") };

        var order = GraphBuilder.Build(Order);
        var overlay = StateOverlay.Counting(order, [waits, waits, failed, SampleDiagram.Instance(Order, InstanceState.Failed)]);

        Assert.Equal(new NodeCounts(0, 2, 0), overlay.CountsOf("stock"));
        Assert.Equal(new NodeCounts(2, 0, 1), overlay.CountsOf("credit"));
        Assert.Equal(NodeState.Failed, overlay.StateOf("credit"));
        Assert.Equal("4 unfinished or failed instances", overlay.Caption);
        Assert.Equal("the first 1 unfinished or failed instances", StateOverlay.Counting(order, [waits], complete: false).Caption);
    }

    [Fact]
    public void Sub_process_is_active_while_something_rests_inside_and_done_when_it_was_left()
    {
        var trip = SampleDiagram.All.Single(sample => sample.Name == "sub-process").Definition;
        var inside = Of(trip, SampleDiagram.Instance(trip, InstanceState.Waiting, Wait("approve", "task"), Wait("check", "signal")),
            [("started", "order"), ("entered", "check"), ("waiting", "look"), ("taskCompleted", "look"), ("entered", "risk"), ("waiting", "approve")]);
        Assert.Equal("order check:Active look risk:Active approve:Waiting", Shown(inside, "order", "check", "look", "risk", "approve", "looked", "paid", "stopped"));
        Assert.DoesNotContain("check:next", inside.Taken);

        var after = Of(trip, SampleDiagram.Instance(trip, InstanceState.Waiting, Wait("pay", "signal")),
            [("started", "order"), ("entered", "check"), ("waiting", "look"), ("taskCompleted", "look"), ("left", "check"), ("waiting", "pay")]);
        Assert.Equal("order check look pay:Waiting", Shown(after, "order", "check", "look", "approve", "pay", "paid", "stopped"));
        Assert.Contains("check:next", after.Taken);

        var failed = Of(trip, SampleDiagram.Instance(trip, InstanceState.Failed) with { Error = new InstanceError("x", "approve") },
            [("started", "order"), ("entered", "check"), ("waiting", "look"), ("taskCompleted", "look"), ("failed", "approve")]);
        Assert.Equal("order check:Failed look risk:Failed approve:Failed", Shown(failed, "order", "check", "look", "risk", "approve", "pay"));
    }

    [Fact]
    public void Sub_process_that_an_event_ends_shows_nothing_inside_that_is_not_certain()
    {
        var trip = SampleDiagram.All.Single(sample => sample.Name == "sub-process").Definition;
        IReadOnlyList<HistoryEntry> history = [new(default, "started", "order"), new(default, "entered", "check", "look"), new(default, "interrupted", "check", "stopped")];

        var overlay = StateOverlay.Of(GraphBuilder.Build(trip), SampleDiagram.Instance(trip, InstanceState.Completed), history);

        Assert.Equal("order check stopped", Shown(overlay, "order", "check", "check:start", "look", "rate", "pay", "stopped"));
        Assert.Contains("check:boundary[0]", overlay.Taken);
        Assert.DoesNotContain("check:next", overlay.Taken);
    }

    [Fact]
    public void Error_that_a_sub_process_takes_marks_its_edge_and_not_the_step_that_failed_as_done()
    {
        var trip = SampleDiagram.All.Single(sample => sample.Name == "sub-process").Definition;
        (string, string?)[] until = [("started", "order"), ("entered", "check"), ("waiting", "look"), ("taskCompleted", "look"), ("entered", "risk")];
        var waits = SampleDiagram.Instance(trip, InstanceState.Waiting, Wait("look", "task"));

        var activity = Of(trip, waits, [.. until, ("activityFailed", "rate"), ("caught", "risk"), ("waiting", "look")]);
        var fail = Of(trip, waits, [.. until, ("taskCompleted", "approve"), ("stepFailed", "low"), ("caught", "risk"), ("waiting", "look")]);

        Assert.Equal("order check:Active look:Waiting large risk both risky", Shown(activity, "order", "check", "look", "large", "risk", "both", "rate", "rated", "risky", "fine"));
        Assert.Equal("risk both approve rated enough low risky", Shown(fail, "risk", "both", "approve", "rate", "rated", "enough", "low", "fine", "risky"));
        Assert.All(new[] { activity, fail }, overlay => Assert.Contains("risk:onError", overlay.Taken));
    }

    [Fact]
    public void Instances_inside_are_counted_at_their_sub_processes()
    {
        var trip = SampleDiagram.All.Single(sample => sample.Name == "sub-process").Definition;
        var waits = SampleDiagram.Instance(trip, InstanceState.Waiting, Wait("approve", "task"), Wait("check", "signal"), Wait("check", "delay"));
        var failed = SampleDiagram.Instance(trip, InstanceState.Failed, Wait("approve", "task")) with { Error = new InstanceError("x", "look") };

        var overlay = StateOverlay.Counting(GraphBuilder.Build(trip), [waits, waits, failed]);

        Assert.Equal(new NodeCounts(2, 0, 1), overlay.CountsOf("check"));
        Assert.Equal(new NodeCounts(2, 0, 0), overlay.CountsOf("risk"));
        Assert.Equal(new NodeCounts(0, 2, 0), overlay.CountsOf("approve"));
    }

    private static InstanceWait Wait(string step, string kind) => new(step, kind, null, null, null);

    private static DiagramOverlay Of(WorkflowDefinition definition, InstanceView instance, (string, string?)[] history) =>
        StateOverlay.Of(GraphBuilder.Build(definition), instance, SampleDiagram.History(history));

    private static string Shown(DiagramOverlay overlay, params string[] steps) => string.Join(' ', steps
        .Where(step => overlay.StateOf(step) != NodeState.None)
        .Select(step => overlay.StateOf(step) == NodeState.Done ? step : $"{step}:{overlay.StateOf(step)}"));
}
