using Workflow.Bpmn;
using Workflow.Diagrams.Graphs;

namespace UnitTests.Workflow.Diagrams;

/// <summary>The pictures that are kept: what a person has looked at and found right.</summary>
internal sealed record SampleDiagram(string Name, WorkflowDefinition Definition, DiagramOverlay? Overlay = null)
{
    private static readonly DateTimeOffset Then = new(2026, 3, 17, 8, 0, 0, TimeSpan.Zero);
    private static readonly Guid Id = new("01a1fd55-bee8-7eca-a8b8-844f780c7d08");

    public static IReadOnlyList<SampleDiagram> All { get; } =
    [
        new("order", Fixture("order")),
        Waiting(),
        new("quotation", Fixture("bulstrad-quotation-confirm-convert-to-policy")),
        Failed(),
        new("retries", Define("retries", "fetch", """
            "fetch": { "type": "invoke", "activity": "http", "timeout": "PT10S", "onTimeout": "fetch", "onError": "count", "next": "valid" },
            "count": { "type": "set", "values": { "tries": "= tries + 1" }, "next": "again" },
            "again": { "type": "decide", "cases": [ { "when": "= tries < 5", "next": "pause" } ], "otherwise": "givenUp" },
            "pause": { "type": "delay", "duration": "PT30S", "next": "fetch" },
            "valid": { "type": "decide", "cases": [ { "when": "= answer.status = 202", "next": "pause" } ], "otherwise": "done" },
            "givenUp": { "type": "fail", "error": "no answer" }, "done": { "type": "end" }
            """)),
        new("many-cases", ManyCases()),
        new("nested-forks", Define("nested-forks", "begin", """
            "begin": { "type": "fork", "branches": [ "documents", "split", "scoring" ], "join": "complete" },
            "documents": { "type": "task", "groups": [ "back office" ], "next": "archived" },
            "archived": { "type": "raise", "event": "DocumentsArchived", "next": "complete" },
            "split": { "type": "fork", "branches": [ "stock", "credit" ], "join": "both" },
            "stock": { "type": "invoke", "activity": "http", "next": "both" },
            "credit": { "type": "call", "definition": "credit-check", "version": 3, "timeout": "P1D", "onTimeout": "late", "next": "limit" },
            "limit": { "type": "set", "values": { "limit": 100 }, "next": "both" },
            "both": { "type": "join", "next": "complete" },
            "scoring": { "type": "waitSignal", "signal": "scored", "correlation": "= id", "timeout": "PT1H", "onTimeout": "late", "next": "complete" },
            "complete": { "type": "join", "next": "stop" },
            "stop": { "type": "end", "terminate": true }, "late": { "type": "fail", "error": "= \"late: \" + id" }
            """)),
        new("long-names", LongNames()),
        Counts(),
        new("compensations", Compensations()),
        Events(),
        Each(),
        Nested(),
        Imported("imported", file => file.Json),
        Imported("imported-layout", file => file.WithVersion(1, new Dictionary<string, int>())),
    ];

    private static WorkflowDefinition Fixture(string name) =>
        Compile.Good(DefinitionCompiler.Compile(Fixtures.Read("definitions", $"{name}.json"), new DefinitionRules()));

    public static WorkflowDefinition Define(string name, string start, string steps) =>
        Compile.Good(DefinitionCompiler.Compile(
            Encoding.UTF8
                .GetBytes($$$"""{ "name": "{{{name}}}", "version": 1, "start": "{{{start}}}", "steps": { {{{steps}}} } }"""),
            new DefinitionRules()));

    public static InstanceView Instance(
        WorkflowDefinition definition, InstanceState state, params InstanceWait[] waits) => new()
    {
        Id = Id, Definition = definition.Name, Version = definition.Version, State = state,
        Variables = JsonDocument.Parse("{}").RootElement,
        Waits = waits, CreatedUtc = Then, UpdatedUtc = Then,
    };

    public static IReadOnlyList<HistoryEntry> History(params (string Event, string? Step)[] lines) =>
        [.. lines.Select(line => new HistoryEntry(Then, line.Event, line.Step))];

    private static SampleDiagram Imported(string name, Func<ImportedDefinition, string> jsonOf)
    {
        var file = BpmnImporter.Import(Fixtures.Read("bpmn", "order-camunda8.bpmn"));
        var order = Compile.Good(Compile.Json(jsonOf(file.Definitions[0])));
        return new(name, order, StateOverlay.Of(GraphBuilder.Build(order),
            Instance(order, InstanceState.Waiting, new InstanceWait("approve", "task", "ann", null, null)),
            [
                new(Then, "started", "price"), new(Then, "set", "price_2"), new(Then, "decided", "large", "approve"),
                new(Then, "waiting", "approve"),
            ]));
    }

    private static SampleDiagram Waiting()
    {
        var order = Fixture("order");
        return new("order-waiting", order, StateOverlay.Of(GraphBuilder.Build(order),
            Instance(order, InstanceState.Waiting, new InstanceWait("check", "task", "ann", null, null)),
            [
                new(Then, "started", "prepare"), new(Then, "set", "prepare"), new(Then, "decided", "route", "split"),
                new(Then, "forked", "split"),
                new(Then, "set", "stock"), new(Then, "joined", "both"), new(Then, "joined", "both"),
                new(Then, "waiting", "wait"),
                new(Then, "signalled", "wait"), new(Then, "waiting", "pause"), new(Then, "resumed", "pause"),
                new(Then, "waiting", "check"),
            ]));
    }

    private static SampleDiagram Events()
    {
        var events = Define("events", "wait", """
            "wait": { "type": "waitFirst", "events": [
              { "signal": "paid", "correlation": "= order", "result": "payment", "next": "what" },
              { "signal": "cancelled", "correlation": "= order", "next": "stopped" }, { "duration": "P3D", "next": "late" } ] },
            "what": { "type": "inclusive", "join": "ready", "otherwise": "ready",
              "cases": [ { "when": "= payment.gift", "next": "wrap" }, { "when": "= payment.sum > 1000", "next": "check" } ] },
            "wrap": { "type": "invoke", "activity": "wrap", "onError": "again", "errorResult": "problem", "next": "ready" },
            "again": { "type": "decide", "cases": [ { "when": "= problem.code = \"NO_PAPER\"", "next": "ready" } ], "otherwise": "broken" },
            "check": { "type": "task", "assignee": "= clerk", "next": "ready", "boundary": [
              { "duration": "PT4H", "interrupting": false, "next": "remind" }, { "signal": "cancelled", "correlation": "= order", "next": "stopped" },
              { "signal": "changed", "correlation": "= order", "result": "payment", "interrupting": false, "next": "note" } ] },
            "remind": { "type": "raise", "event": "CheckIsDue", "next": "noted" }, "note": { "type": "set", "values": { "changed": true }, "next": "noted" },
            "noted": { "type": "end" }, "ready": { "type": "join", "next": "done" }, "done": { "type": "end" },
            "stopped": { "type": "end", "terminate": true }, "late": { "type": "fail", "error": "not paid", "code": "LATE" },
            "broken": { "type": "fail", "error": "= problem.message", "code": "= problem.code" }
            """);
        return new("events", events, StateOverlay.Of(GraphBuilder.Build(events),
            Instance(events, InstanceState.Waiting, new InstanceWait("check", "task", "ann", null, null),
                new InstanceWait("check", "signal", "cancelled", "o-1", null),
                new InstanceWait("check", "signal", "changed", "o-1", null)),
            [
                new(Then, "started", "wait"), new(Then, "waiting", "wait", "paid"), new(Then, "chosen", "wait", "what"),
                new(Then, "forked", "what", "wrap, check"), new(Then, "waiting", "wrap"), new(Then, "resumed", "wrap"),
                new(Then, "joined", "ready"),
                new(Then, "waiting", "check"), new(Then, "branched", "check", "remind"),
                new(Then, "raised", "remind", "CheckIsDue"),
            ]));
    }

    private static SampleDiagram Each()
    {
        var each = Define("each", "ask", """
            "ask": { "type": "callEach", "definition": "review", "items": "= reviewers", "item": "reviewer", "input": { "who": "= reviewer" },
              "completionCondition": "= numberOfCompletedInstances >= 2", "timeout": "P2D", "onTimeout": "late", "result": "reviews", "next": "ship" },
            "ship": { "type": "callEach", "definition": "ship-line", "version": 2, "items": "= order.lines", "maxConcurrency": 1, "onError": "stop",
              "errorResult": "problem", "next": "print", "boundary": [ { "signal": "cancelled", "correlation": "= order.id", "next": "stop" } ] },
            "print": { "type": "callEach", "definition": "print", "count": 3, "maxConcurrency": 2, "next": "done" },
            "late": { "type": "fail", "error": "nobody looked at it" }, "stop": { "type": "end", "terminate": true }, "done": { "type": "end" }
            """);
        return new("each", each, StateOverlay.Of(GraphBuilder.Build(each),
            Instance(each, InstanceState.Waiting, new InstanceWait("ship", "callEach", "ship-line", null, null),
                new InstanceWait("ship", "call", "ship-line", null, null, Id: Id),
                new InstanceWait("ship", "signal", "cancelled", "o-1", null)),
            [
                new(Then, "started", "ask"), new(Then, "waiting", "ask", "3 x review"),
                new(Then, "called", "ask", $"1: {Id}"),
                new(Then, "returned", "ask", "2 of 3"), new(Then, "waiting", "ship", "4 x ship-line"),
                new(Then, "called", "ship", $"1: {Id}"),
            ]));
    }

    private static SampleDiagram Nested()
    {
        var trip = Define("sub-process", "order", """
            "order": { "type": "set", "values": { "total": "= price * quantity" }, "next": "check" },
            "check": { "type": "subProcess", "start": "look", "timeout": "P2D", "onTimeout": "late", "onError": "refused", "errorResult": "problem",
              "next": "pay", "boundary": [ { "signal": "cancelled", "correlation": "= order", "next": "stopped" },
                { "duration": "P1D", "interrupting": false, "next": "remind" } ] },
            "look": { "type": "task", "assignee": "= clerk", "next": "large" },
            "large": { "type": "decide", "cases": [ { "when": "= total > 1000", "next": "risk" } ], "otherwise": "looked" },
            "risk": { "type": "subProcess", "start": "both", "onError": "risky", "next": "looked" },
            "both": { "type": "fork", "branches": [ "approve", "rate" ], "join": "rated" },
            "approve": { "type": "task", "groups": [ "managers" ], "next": "rated" },
            "rate": { "type": "invoke", "activity": "http", "result": "rating", "next": "rated" },
            "rated": { "type": "join", "next": "enough" },
            "enough": { "type": "decide", "cases": [ { "when": "= rating.score < 3", "next": "low" } ], "otherwise": "fine" },
            "low": { "type": "fail", "error": "the rating is too low", "code": "RISK" }, "fine": { "type": "end" },
            "risky": { "type": "set", "values": { "deposit": true }, "next": "look" }, "looked": { "type": "end" },
            "remind": { "type": "raise", "event": "CheckIsDue", "next": "reminded" }, "reminded": { "type": "end" },
            "pay": { "type": "waitSignal", "signal": "paid", "correlation": "= order", "next": "paid" }, "paid": { "type": "end" },
            "refused": { "type": "fail", "error": "= problem.message", "code": "= problem.code" }, "late": { "type": "fail", "error": "not checked in time" },
            "stopped": { "type": "end", "terminate": true }
            """);
        return new("sub-process", trip, StateOverlay.Of(GraphBuilder.Build(trip),
            Instance(trip, InstanceState.Waiting, new InstanceWait("look", "task", "ann", null, null),
                new InstanceWait("check", "signal", "cancelled", "o-1", null),
                new InstanceWait("check", "delay", null, null, null)),
            [
                new(Then, "started", "order"), new(Then, "set", "order"), new(Then, "entered", "check", "look"),
                new(Then, "waiting", "look"),
            ]));
    }

    private static SampleDiagram Failed()
    {
        var quotation = Fixture("bulstrad-quotation-confirm-convert-to-policy");
        return new("quotation-failed", quotation, StateOverlay.Of(GraphBuilder.Build(quotation),
            Instance(quotation, InstanceState.Failed)
                with { Error = new InstanceError("quotation Q-1 was not confirmed in time", "expired") },
            History(("started", "rate"), ("waiting", "confirm"), ("timedOut", "confirm"), ("failed", "expired"))));
    }

    private static SampleDiagram Counts()
    {
        var quotation = Fixture("bulstrad-quotation-confirm-convert-to-policy");
        InstanceView At(InstanceState state, string step, string kind) =>
            Instance(quotation, state, new InstanceWait(step, kind, null, null, null));
        return new("quotation-counts", quotation, StateOverlay.Counting(GraphBuilder.Build(quotation),
        [
            .. Enumerable.Repeat(At(InstanceState.Waiting, "confirm", "task"), 1204),
            .. Enumerable.Repeat(At(InstanceState.Waiting, "convert", "call"), 37),
            .. Enumerable.Repeat(At(InstanceState.Waiting, "settle", "delay"), 9),
            .. Enumerable.Repeat(At(InstanceState.Running, "documents", "activity"), 2),
            .. Enumerable.Repeat(
                Instance(quotation, InstanceState.Failed) with { Error = new InstanceError("rejected", "rejected") },
                61),
        ]));
    }

    private static WorkflowDefinition ManyCases()
    {
        var cases = new JsonArray([.. Enumerable.Range(1, 8).Select(i =>
            new JsonObject { ["when"] = $"= country = \"{(char)('A' + i)}{(char)('A' + i)}\"",
                ["next"] = $"tariff{(i + 1) / 2}" })]);
        var steps =
            new StringBuilder($"\"route\": {{ \"type\": \"decide\", \"cases\": {cases.ToJsonString()}, \"otherwise\": \"unknown\" }},");
        for (var i = 1; i <= 4; i++)
        {
            steps.Append(
                CultureInfo.InvariantCulture, $"\"tariff{i}\": {{ \"type\": \"set\", \"values\": {{ \"rate\": {i} }}, \"next\": \"price\" }},");
        }

        steps.Append("""
            "unknown": { "type": "task", "groups": [ "tariffs" ], "next": "price" },
            "price": { "type": "set", "values": { "premium": "= sum * rate" }, "next": "done" }, "done": { "type": "end" }
            """);
        return Define("many-cases", "route", steps.ToString());
    }

    private static WorkflowDefinition LongNames()
    {
        var longest = string.Concat(Enumerable.Repeat("underwriteTheQuotation.", 5)) + "andTellThem";
        return Define("a.definition_with-a-long-name", "check-the_creditworthiness.ofTheApplicant", $$"""
            "check-the_creditworthiness.ofTheApplicant": { "type": "invoke", "activity": "an-activity-with-a-name-that-does-not-fit-into-one-line",
              "onError": "{{longest}}", "next": "end" },
            "{{longest}}": { "type": "task", "assignee": "= \"<b>&amp;\\\"ann\\\"]]> é 漢字 😀\"", "next": "graph" },
            "graph": { "type": "decide", "cases": [ { "when": "= name = \"<script>alert('x')</script>\" and \"--> |a|\" != \"\\n\"", "next": "end" } ],
              "otherwise": "1st" },
            "1st": { "type": "fail", "error": "]]> & <!-- \"'` #quot; %% é 漢字 😀" },
            "end": { "type": "end" }
            """);
    }

    private static WorkflowDefinition Compensations()
    {
        var steps = new StringBuilder();
        string[] names = ["reserveFlight", "reserveHotel", "reserveCar", "charge"];
        for (var i = 0; i < names.Length; i++)
        {
            steps.Append(CultureInfo.InvariantCulture, $$"""
                "{{names[i]}}": { "type": "invoke", "activity": "http", "timeout": "PT20S", "onTimeout": "undo{{i}}", "onError": "undo{{i}}",
                  "next": "{{(i + 1 < names.Length ? names[i + 1] : "confirmed")}}" },
                "undo{{i}}": { "type": "invoke", "activity": "http", "next": "{{(i > 0 ? $"undo{i - 1}" : "cancelled")}}" },
                """);
        }

        steps.Append("""
            "confirmed": { "type": "raise", "event": "TripConfirmed", "next": "done" }, "done": { "type": "end" },
            "cancelled": { "type": "fail", "error": "the trip was cancelled" }
            """);
        return Define("compensations", "reserveFlight", steps.ToString());
    }
}
