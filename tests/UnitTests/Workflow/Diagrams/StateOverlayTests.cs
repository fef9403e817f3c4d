using Workflow.Diagrams;
using Workflow.Diagrams.Graphs;

namespace UnitTests.Workflow.Diagrams;

public sealed class StateOverlayTests
{
    private static readonly WorkflowDefinition Order = SampleDiagram.All[0].Definition;
    private static readonly (string, string?)[] UntilCheck =
        [("started", "prepare"), ("waiting", "wait"), ("signalled", "wait"), ("waiting", "pause"), ("resumed", "pause"),
            ("waiting", "check")];

    [Fact]
    public void Unavoidable_steps_without_history_are_done()
    {
        var overlay =
            Of(Order, SampleDiagram.Instance(Order, InstanceState.Waiting, Wait("check", "task")), UntilCheck);

        Assert.Equal("prepare route wait pause check:Waiting",
            Shown(overlay, "prepare", "route", "split", "stock", "both", "wait", "pause", "check", "late"));
        Assert.Contains("wait:next", overlay.Taken);
        Assert.DoesNotContain("wait:onTimeout", overlay.Taken);
        Assert.DoesNotContain("route:otherwise", overlay.Taken); // Both ways are open from what the history says.
    }

    [Fact]
    public void Recorded_decision_marks_its_edge_and_what_follows()
    {
        IReadOnlyList<HistoryEntry> history =
            [new(default, "set", "prepare"), new(default, "decided", "route", "wait"), new(default, "waiting", "wait")];

        var overlay = StateOverlay.Of(GraphBuilder.Build(Order),
            SampleDiagram.Instance(Order, InstanceState.Waiting, Wait("wait", "signal")), history);

        Assert.Equal("prepare route wait:Waiting",
            Shown(overlay, "prepare", "route", "split", "stock", "both", "wait", "pause"));
        Assert.Contains("route:otherwise", overlay.Taken);
        Assert.DoesNotContain("route:cases[0]", overlay.Taken);
    }

    [Fact]
    public void Timeout_marks_the_edge_that_was_taken_and_the_failed_step()
    {
        var failed =
            SampleDiagram.Instance(Order, InstanceState.Failed) with { Error = new InstanceError("too late", "late") };

        var overlay =
            Of(Order, failed, [("started", "prepare"), ("waiting", "wait"), ("timedOut", "wait"), ("failed", "late")]);

        Assert.Equal("prepare route wait:TimedOut late:Failed",
            Shown(overlay, "prepare", "route", "split", "wait", "pause", "late"));
        Assert.Contains("wait:onTimeout", overlay.Taken);
        Assert.DoesNotContain("wait:next", overlay.Taken);
    }

    [Fact]
    public void Activity_before_its_next_attempt_is_waiting()
    {
        var now = SampleDiagram.Instance(Order, InstanceState.Running, Wait("send", "activity"));
        var later = SampleDiagram.Instance(Order, InstanceState.Waiting,
            Wait("send", "activity") with { FailedAttempts = 1, NextAttemptAt = default(DateTimeOffset) });

        Assert.Equal(NodeState.Active, Of(Order, now, []).StateOf("send"));
        Assert.Equal(NodeState.Waiting, Of(Order, later, []).StateOf("send"));
    }

    [Fact]
    public void Only_taken_branches_and_received_events_mark_their_edges()
    {
        var overlay = SampleDiagram.All.Single(sample => sample.Name == "events").Overlay!;

        Assert.Equal("wait wait:events[0] what wrap check:Waiting remind",
            Shown(overlay, "wait", "wait:events[0]", "wait:events[1]", "what", "wrap", "check", "remind", "note",
                "ready"));
        Assert.Superset(
            new HashSet<string> { "wait:events[0]:begin", "wait:events[0]:next", "what:cases[0]", "what:cases[1]",
                "wrap:next", "check:boundary[0]" },
            new HashSet<string>(overlay.Taken));
        Assert.Empty(overlay.Taken.Intersect(
            ["wait:events[1]:begin", "what:otherwise", "check:next", "check:boundary[1]", "check:boundary[2]",
                "wrap:onError"]));
    }

    [Fact]
    public void Loop_that_waits_again_is_shown_as_waiting()
    {
        var retries = SampleDiagram.All.Single(sample => sample.Name == "retries").Definition;
        var overlay = Of(retries, SampleDiagram.Instance(retries, InstanceState.Running, Wait("fetch", "activity")),
            [("started", "fetch"), ("waiting", "fetch"), ("timedOut", "fetch"), ("waiting", "fetch"),
                ("activityFailed", "fetch"), ("waiting", "pause"), ("resumed", "pause"), ("waiting", "fetch")]);

        Assert.Equal(
            "fetch:Active count again pause", Shown(overlay, "fetch", "count", "again", "pause", "valid", "givenUp"));
        Assert.Contains("fetch:onTimeout", overlay.Taken);
        Assert.Contains("fetch:onError", overlay.Taken);
        Assert.Contains("count:next", overlay.Taken);
    }

    [Fact]
    public void Join_is_done_once_no_branch_rests_before_it()
    {
        var forks = SampleDiagram.All.Single(sample => sample.Name == "nested-forks").Definition;
        var open = Of(forks,
            SampleDiagram.Instance(forks, InstanceState.Waiting, Wait("documents", "task"), Wait("scoring", "signal")),
            [("started", "begin"), ("waiting", "documents"), ("waiting", "credit"), ("waiting", "scoring"),
                ("returned", "credit")]);
        var atEnd = Of(forks, SampleDiagram.Instance(forks, InstanceState.Running, Wait("stop", "activity")),
            [("waiting", "documents"), ("waiting", "credit"), ("waiting", "scoring"), ("returned", "credit"),
                ("taskCompleted", "documents"), ("signalled", "scoring")]);

        Assert.Equal("begin split stock limit both documents:Waiting scoring:Waiting",
            Shown(open, "begin", "split", "stock", "limit", "both", "documents", "scoring", "complete", "stop"));
        Assert.Equal(NodeState.Done, atEnd.StateOf("complete"));
    }

    [Fact]
    public void Branches_of_a_fork_that_failed_are_not_taken_for_done()
    {
        var forks = SampleDiagram.All.Single(sample => sample.Name == "nested-forks").Definition;
        var overlay = Of(
            forks, SampleDiagram.Instance(forks, InstanceState.Failed)
                with { Error = new InstanceError("x", "documents") }, [("started", "begin"), ("failed", "documents")]);

        Assert.Equal("begin documents:Failed", Shown(overlay, "begin", "documents", "split", "stock", "scoring"));
    }

    [Fact]
    public void Steps_that_the_definition_does_not_have_are_left_out()
    {
        var overlay =
            Of(Order, SampleDiagram.Instance(Order, InstanceState.Running), [("started", "gone"), ("set", "prepare")]);

        Assert.DoesNotContain("gone", overlay.States.Keys);
        Assert.Equal(NodeState.Done, overlay.StateOf("prepare"));
    }

    /// <summary>The history has the first of them alone; the others follow from each other.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Steps_of_a_long_chain_are_concluded_in_less_than_a_second(bool backwards)
    {
        // If the first step leads to each of them in reverse, the graph has them in that order too.
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
            [new(default, "started"),
                .. Enumerable.Range(0, 400).Select(i => new HistoryEntry(default, "set", $"s{i}")),
                new(default, "truncated")];
        DiagramOverlay? overlay = null;

        LayoutPropertyTests.AssertTakes(1, () => overlay = StateOverlay.Of(graph, instance, history));
        Assert.All(definition.Steps.Keys, step => Assert.Equal(NodeState.Done, overlay!.StateOf(step)));
        Assert.Contains($"s{Steps - 1}:next", overlay!.Taken);
    }

    [Fact]
    public void Instances_are_counted_where_they_stand()
    {
        var waits = SampleDiagram.Instance(Order, InstanceState.Waiting, Wait("stock", "signal"),
            Wait("credit", "activity"), Wait("credit", "activity"));
        var failed =
            SampleDiagram.Instance(Order, InstanceState.Failed) with { Error = new InstanceError("x", "credit") };

        var order = GraphBuilder.Build(Order);
        var overlay =
            StateOverlay.Counting(order, [waits, waits, failed, SampleDiagram.Instance(Order, InstanceState.Failed)]);

        Assert.Equal(new NodeCounts(0, 2, 0), overlay.CountsOf("stock"));
        Assert.Equal(new NodeCounts(2, 0, 1), overlay.CountsOf("credit"));
        Assert.Equal(NodeState.Failed, overlay.StateOf("credit"));
        Assert.Equal("4 unfinished or failed instances", overlay.Caption);
        Assert.Equal("the first 1 unfinished or failed instances",
            StateOverlay.Counting(order, [waits], complete: false).Caption);
    }

    [Fact]
    public void Sub_process_is_active_until_it_is_left()
    {
        var trip = SampleDiagram.All.Single(sample => sample.Name == "sub-process").Definition;
        var inside = Of(
            trip, SampleDiagram.Instance(trip, InstanceState.Waiting, Wait("approve", "task"), Wait("check", "signal")),
            [("started", "order"), ("entered", "check"), ("waiting", "look"), ("taskCompleted", "look"),
                ("entered", "risk"), ("waiting", "approve")]);
        Assert.Equal("order check:Active look risk:Active approve:Waiting",
            Shown(inside, "order", "check", "look", "risk", "approve", "looked", "paid", "stopped"));
        Assert.DoesNotContain("check:next", inside.Taken);

        var after = Of(trip, SampleDiagram.Instance(trip, InstanceState.Waiting, Wait("pay", "signal")),
            [("started", "order"), ("entered", "check"), ("waiting", "look"), ("taskCompleted", "look"),
                ("left", "check"), ("waiting", "pay")]);
        Assert.Equal("order check look pay:Waiting",
            Shown(after, "order", "check", "look", "approve", "pay", "paid", "stopped"));
        Assert.Contains("check:next", after.Taken);

        var failed = Of(
            trip, SampleDiagram.Instance(trip, InstanceState.Failed) with { Error = new InstanceError("x", "approve") },
            [("started", "order"), ("entered", "check"), ("waiting", "look"), ("taskCompleted", "look"),
                ("failed", "approve")]);
        Assert.Equal("order check:Failed look risk:Failed approve:Failed",
            Shown(failed, "order", "check", "look", "risk", "approve", "pay"));
    }

    [Fact]
    public void Interrupted_sub_process_shows_only_what_is_certain()
    {
        var trip = SampleDiagram.All.Single(sample => sample.Name == "sub-process").Definition;
        IReadOnlyList<HistoryEntry> history = [new(default, "started", "order"),
            new(default, "entered", "check", "look"), new(default, "interrupted", "check", "stopped")];

        var overlay =
            StateOverlay.Of(GraphBuilder.Build(trip), SampleDiagram.Instance(trip, InstanceState.Completed), history);

        Assert.Equal("order check:Cancelled stopped",
            Shown(overlay, "order", "check", "check:start", "look", "rate", "pay", "stopped"));
        Assert.Contains("check:boundary[0]", overlay.Taken);
        Assert.DoesNotContain("check:next", overlay.Taken);
    }

    [Fact]
    public void Error_caught_by_a_sub_process_marks_its_edge()
    {
        var trip = SampleDiagram.All.Single(sample => sample.Name == "sub-process").Definition;
        (string, string?)[] until = [("started", "order"), ("entered", "check"), ("waiting", "look"),
            ("taskCompleted", "look"), ("entered", "risk")];
        var waits = SampleDiagram.Instance(trip, InstanceState.Waiting, Wait("look", "task"));

        var activity = Of(trip, waits, [.. until, ("activityFailed", "rate"), ("caught", "risk"), ("waiting", "look")]);
        var fail = Of(trip, waits,
            [.. until, ("taskCompleted", "approve"), ("stepFailed", "low"), ("caught", "risk"), ("waiting", "look")]);

        Assert.Equal("order check:Active look:Waiting large risk:Failed both rate:Failed risky",
            Shown(activity, "order", "check", "look", "large", "risk", "both", "rate", "rated", "risky", "fine"));
        Assert.Equal("risk:Failed both approve rated enough low:Failed risky",
            Shown(fail, "risk", "both", "approve", "rate", "rated", "enough", "low", "fine", "risky"));
        Assert.All(new[] { activity, fail }, overlay => Assert.Contains("risk:onError", overlay.Taken));
    }

    [Fact]
    public void Instances_inside_are_counted_at_their_sub_processes()
    {
        var trip = SampleDiagram.All.Single(sample => sample.Name == "sub-process").Definition;
        var waits = SampleDiagram.Instance(
            trip, InstanceState.Waiting, Wait("approve", "task"), Wait("check", "signal"), Wait("check", "delay"));
        var failed = SampleDiagram.Instance(trip, InstanceState.Failed, Wait("approve", "task"))
            with { Error = new InstanceError("x", "look") };

        var overlay = StateOverlay.Counting(GraphBuilder.Build(trip), [waits, waits, failed]);

        Assert.Equal(new NodeCounts(2, 0, 1), overlay.CountsOf("check"));
        Assert.Equal(new NodeCounts(2, 0, 0), overlay.CountsOf("risk"));
        Assert.Equal(new NodeCounts(0, 2, 0), overlay.CountsOf("approve"));
    }

    [Theory]
    [InlineData("call", "callFailed"), InlineData("invoke", "activityFailed"), InlineData("callEach", "callFailed")]
    public void Call_whose_error_was_handled_is_failed_and_not_done(string type, string line)
    {
        var definition = Handled(type);

        var handled = Of(definition, SampleDiagram.Instance(definition, InstanceState.Completed),
            [("started", "call"), ("waiting", "call"), (line, "call"), ("set", "sorry"), ("completed", null)]);
        var failed = Of(definition,
            SampleDiagram.Instance(definition, InstanceState.Failed) with { Error = new InstanceError("x", "bad") },
            [("started", "call"), ("waiting", "call"), (line, "call"), ("failed", "bad")]);

        Assert.Equal("call:Failed sorry", Shown(handled, "call", "sorry", "bad"));
        Assert.Equal("call:Failed bad:Failed", Shown(failed, "call", "sorry", "bad"));
        Assert.Contains("call:onError", handled.Taken);
    }

    [Fact]
    public void Call_that_a_retry_repeats_is_shown_as_it_ended_the_last_time()
    {
        var definition = Handled("invoke");
        (string, string?)[] failed = [
            ("started", "call"), ("waiting", "call"), ("activityFailed", "call"), ("failed", "bad"), ("retried", null)];

        var again = Of(definition, SampleDiagram.Instance(definition, InstanceState.Running, Wait("call", "activity")),
            [.. failed, ("waiting", "call")]);
        var done = Of(definition, SampleDiagram.Instance(definition, InstanceState.Completed),
            [.. failed, ("waiting", "call"), ("resumed", "call"), ("completed", null)]);

        Assert.Equal("call:Active", Shown(again, "call", "sorry", "bad"));
        Assert.Equal("call", Shown(done, "call", "sorry", "bad"));
    }

    [Theory]
    [InlineData(InstanceState.Cancelled, "check:Cancelled"), InlineData(InstanceState.Completed, "check:Cancelled")]
    [InlineData(InstanceState.Failed, "check:Cancelled")]
    public void Step_that_ended_with_its_instance_is_cancelled(InstanceState state, string shown) =>
        Assert.Equal(shown,
            Shown(Of(Order, SampleDiagram.Instance(Order, state), [.. UntilCheck, ("assigned", "check")]), "check"));

    [Fact]
    public void Error_that_waits_for_its_suspended_instance_is_failed()
    {
        var wait = Wait("send", "activity") with { Ended = true, LastError = new WaitError("refused", 1) };

        Assert.Equal(NodeState.Failed,
            Of(Order, SampleDiagram.Instance(Order, InstanceState.Suspended, wait), []).StateOf("send"));
    }

    [Theory]
    [InlineData(DiagramFormat.Svg, "class=\"node failed\"")]
    [InlineData(DiagramFormat.Mermaid, "class n1 failed")]
    [InlineData(DiagramFormat.Elk, "\"state\": \"failed\"")]
    [InlineData(DiagramFormat.Msagl, "#ffebe9")]
    [InlineData(DiagramFormat.Bpmn, "#ffebe9")]
    public void Every_renderer_draws_a_failed_call_as_failed(DiagramFormat format, string expected)
    {
        var definition = Handled("call");
        var overlay = Of(definition, SampleDiagram.Instance(definition, InstanceState.Completed),
            [("started", "call"), ("waiting", "call"), ("callFailed", "call"), ("set", "sorry")]);

        var text = DiagramRenderer.Render(definition, format, overlay);

        Assert.Contains(expected, text, StringComparison.Ordinal);
    }

    private static WorkflowDefinition Handled(string type) => SampleDiagram.Define("handled", "call", $$"""
        "call": { "type": "{{type}}", {{type switch { "invoke" => "\"activity\": \"a\"", "callEach" => "\"definition\": \"a\", \"count\": 2", _ => "\"definition\": \"a\"" }}},
          "onError": "which", "next": "done" },
        "which": { "type": "decide", "cases": [ { "when": "= a", "next": "sorry" } ], "otherwise": "bad" },
        "sorry": { "type": "set", "values": { "b": 1 }, "next": "done" }, "bad": { "type": "fail", "error": "x" }, "done": { "type": "end" }
        """);

    private static InstanceWait Wait(string step, string kind) => new(step, kind, null, null, null);

    private static DiagramOverlay Of(
        WorkflowDefinition definition, InstanceView instance, (string, string?)[] history) =>
        StateOverlay.Of(GraphBuilder.Build(definition), instance, SampleDiagram.History(history));

    private static string Shown(DiagramOverlay overlay, params string[] steps) => string.Join(' ', steps
        .Where(step => overlay.StateOf(step) != NodeState.None)
        .Select(step => overlay.StateOf(step) == NodeState.Done ? step : $"{step}:{overlay.StateOf(step)}"));
}
