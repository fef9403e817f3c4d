namespace IntegrationTests.Shared.Conformance;

internal static class SubProcessDefinitions
{
    /// <summary>What an instance waits for, in order.</summary>
    public static async Task<IEnumerable<string>> WaitsAsync(EngineSession engine, Guid id) =>
        (await engine.ViewAsync(id)).Waits.Select(w => $"{w.Step} {w.Kind}").Order(StringComparer.Ordinal);

    /// <summary>The instance has failed at the step, and a retry would go on inside.</summary>
    public static async Task AssertFailsAsync(EngineSession engine, Guid id, string? code, string message)
    {
        var failed = await engine.Events.FailedAsync(id, Cancel);
        AssertHolds(failed.Error, message);
        Assert.Equal((code, "fails"), (failed.Code, failed.Step));
        Assert.Equal(
            ["ask", "fails"], (await engine.ViewAsync(id)).Tokens!.Select(t => t.Step).Order(StringComparer.Ordinal));
    }

    public static async Task AssertNothingIsLeftAsync(EngineSession engine)
    {
        await engine.IdleAsync();
        Assert.Equal((0, 0), (engine.Engine.Statistics.LiveInstances, engine.Engine.Statistics.OpenTasks));
    }

    /// <summary>Completes the only open task.</summary>
    public static async Task CompleteAsync(EngineSession engine, int output, string? key = null)
    {
        var open = await engine.Engine.ListTasksAsync(new() { State = TaskState.Open }, Cancel);
        await engine.Engine.CompleteTaskAsync(
            new() { TaskId = Assert.Single(open.Items).Id, Output = Value.From(output), IdempotencyKey = key }, Cancel);
    }

    /// <summary>Every kind of wait and event inside a sub-process in a branch of a fork.</summary>
    public static string Checked(bool withWork = true) =>
        $$"""
        { "name": "checked", "version": 1, "start": "split", "steps": {
          "split": { "type": "fork", "branches": [ "check", "other" ], "join": "met" },
          "check": { "type": "subProcess", "start": "both", "timeout": "PT8H", "onTimeout": "late", "onError": "sorry", "errorResult": "problem",
            "next": "met", "boundary": [
              { "signal": "note", "correlation": "= id", "result": "note", "interrupting": false, "next": "keep" },
              { "duration": "PT1H", "interrupting": false, "next": "remind" },
              { "signal": "stop", "correlation": "= id", "result": "reason", "next": "met" } ] },
          "both": { "type": "fork", "branches": [ "ask", "each", "inner"{{(withWork ? ", \"work\"" : "")}} ], "join": "all" },
          "ask": { "type": "task", "result": "decision", "next": "all" },
          "each": { "type": "callEach", "definition": "waitForGo", "items": [ "= concat(id, \"a\")", "= concat(id, \"b\")" ],
            "input": { "id": "= item" }, "result": "sent", "next": "all" },
          {{(withWork ? """ "work": { "type": "invoke", "activity": "work", "result": "worked", "next": "all" }, """ : "")}}
          "inner": { "type": "subProcess", "start": "pause", "next": "all" },
          "pause": { "type": "waitSignal", "signal": "poke", "result": "poked", "next": "quiet" }, "quiet": { "type": "end" },
          "all": { "type": "join", "next": "over" }, "over": { "type": "end" },
          "keep": { "type": "set", "values": { "notes": "= concat(coalesce(notes, \"\"), note)" }, "next": "kept" }, "kept": { "type": "end" },
          "remind": { "type": "raise", "event": "Reminded", "next": "slow" },
          "slow": { "type": "waitSignal", "signal": "slow", "next": "reminded" },
          "reminded": { "type": "set", "values": { "reminded": "= coalesce(reminded, 0) + 1" }, "next": "met" },
          "late": { "type": "set", "values": { "late": true }, "next": "say" }, "say": { "type": "raise", "event": "Late", "next": "met" },
          "sorry": { "type": "set", "values": { "code": "= problem.code" }, "next": "met" },
          "other": { "type": "waitSignal", "signal": "other", "next": "met" },
          "met": { "type": "join", "next": "count" },
          "count": { "type": "set", "values": { "met": "= coalesce(met, 0) + 1" }, "next": "done" },
          "done": { "type": "end", "output": [ "= met", "= decision", "= sent", "= worked", "= poked", "= reason", "= reminded", "= notes",
            "= late", "= code" ] } } }
        """;

    /// <summary>A task, or a sub-process with a task inside, and two signals beside it.</summary>
    public static string Noted(string type) =>
        $$"""
        { "name": "noted", "version": 1, "start": "run", "steps": {
          "run": { "type": "{{type}}", {{(type == "subProcess" ? "\"start\": \"ask\"," : "")}} "next": "done", "boundary": [
            { "signal": "a", "correlation": "= id", "result": "note", "interrupting": false, "next": "keep" },
            { "signal": "b", "correlation": "= id", "result": "note", "interrupting": false, "next": "keep" } ] },
          {{(type == "subProcess" ? """ "ask": { "type": "task", "next": "asked" }, "asked": { "type": "end" }, """ : "")}}
          "keep": { "type": "set", "values": { "notes": "= concat(coalesce(notes, \"\"), note)" }, "next": "kept" }, "kept": { "type": "end" },
          "done": { "type": "end", "output": "= notes" } } }
        """;

    /// <summary>A failing step inside two sub-processes, beside a task. The output is the error of both.</summary>
    public static string Failing(int version, string step, bool inner, bool outer) =>
        $$"""
        { "name": "failing", "version": {{version}}, "start": "outer", "steps": {
          "outer": { "type": "subProcess", "start": "inner", {{(outer ? "\"onError\": \"fine\", \"errorResult\": \"o\"," : "")}} "next": "fine" },
          "inner": { "type": "subProcess", "start": "split", {{(inner ? "\"onError\": \"ended\", \"errorResult\": \"i\"," : "")}} "next": "ended" },
          "split": { "type": "fork", "branches": [ "ask", "go" ], "join": "j" }, "ask": { "type": "task", "next": "j" },
          "go": { "type": "waitSignal", "signal": "go", "next": "fails" }, "fails": { {{step}} },
          "j": { "type": "join", "next": "ends" }, "ends": { "type": "end" }, "ended": { "type": "end" },
          "fine": { "type": "end", "output": [ "= i", "= o" ] } } }
        """;

    public const string Refusing =
        """
        { "name": "refusing", "version": 1, "start": "no", "steps": { "no": { "type": "fail", "error": "refused", "code": "REFUSED" } } }
        """;

    /// <summary>A step, what the history calls its failure, the error's code and a part of its message.</summary>
    public static readonly (string Step, string Word, string? Code, string Message)[] Errors =
    [
        (""" "type": "fail", "error": "= concat(\"no \", id)", "code": "X" """, "stepFailed", "X", "no k"),
        (""" "type": "invoke", "activity": "broken", "next": "j" """, "activityFailed", null, "the far side is closed"),
        (""" "type": "invoke", "activity": "dull", "next": "j" """, "activityFailed", "DULL", "it is dull"),
        (""" "type": "invoke", "activity": "dull", "next": "j", "boundary": [ { "signal": "x", "next": "j" } ] """,
            "activityFailed", "DULL", "it is dull"),
        (""" "type": "call", "definition": "refusing", "next": "j" """, "callFailed", "REFUSED", "refused"),
        (""" "type": "call", "definition": "missing", "next": "j" """, "callFailed", null, "was not started"),
        (""" "type": "callEach", "definition": "refusing", "count": 2, "next": "j" """, "callFailed", "REFUSED",
            "refused"),
        (""" "type": "callEach", "definition": "missing", "count": 2, "next": "j" """, "callFailed", null,
            "was not started"),
        (""" "type": "callEach", "definition": "refusing", "items": "= id", "next": "j" """, "stepFailed", null,
            "'items'"),
        (""" "type": "waitSignal", "signal": "x", "correlation": "= gone", "next": "j" """, "stepFailed", null,
            "'correlation'"),
        (""" "type": "delay", "until": "= gone", "next": "j" """, "stepFailed", null, "'until'"),
        (""" "type": "task", "next": "j", "boundary": [ { "duration": "= gone", "next": "j" } ] """, "stepFailed", null,
            "'duration'"),
        (""" "type": "waitFirst", "events": [ { "duration": "PT1H", "next": "j" }, { "signal": "x", "correlation": "= gone", "next": "j" } ] """,
            "stepFailed", null, "'correlation'"),
        (""" "type": "subProcess", "start": "in", "next": "j", "onError": "j", "timeout": "PT1H", "onTimeout": "j", "boundary": [ { "until": "= gone", "next": "j" } ] }, "in": { "type": "end" """,
            "stepFailed", null, "'until'"),
    ];

    /// <summary>A terminating end in the inner and in the outer sub-process, each beside a wait.</summary>
    public const string Cut =
        """
        { "name": "cut", "version": 1, "start": "split", "steps": {
          "split": { "type": "fork", "branches": [ "check", "beside" ], "join": "met" },
          "check": { "type": "subProcess", "start": "both", "next": "met", "boundary": [ { "signal": "stop", "correlation": "= id", "next": "met" } ] },
          "both": { "type": "fork", "branches": [ "ask", "inner", "sub" ], "join": "all" },
          "ask": { "type": "task", "next": "all" },
          "inner": { "type": "subProcess", "start": "two", "next": "all" },
          "two": { "type": "fork", "branches": [ "wait", "hold" ], "join": "one" },
          "wait": { "type": "waitSignal", "signal": "wait", "next": "cutInner" }, "cutInner": { "type": "end", "terminate": true },
          "hold": { "type": "waitSignal", "signal": "hold", "next": "one" }, "one": { "type": "join", "next": "held" }, "held": { "type": "end" },
          "sub": { "type": "call", "definition": "waitForGo", "input": { "id": "= id" }, "result": "answer", "next": "cut" },
          "cut": { "type": "end", "terminate": true }, "all": { "type": "join", "next": "over" }, "over": { "type": "end" },
          "beside": { "type": "waitSignal", "signal": "beside", "next": "met" },
          "met": { "type": "join", "next": "count" },
          "count": { "type": "set", "values": { "met": "= coalesce(met, 0) + 1" }, "next": "done" },
          "done": { "type": "end", "output": [ "= met", "= answer" ] } } }
        """;

    /// <summary>A sub-process in which a signal begins a second token beside a task.</summary>
    public const string Beside =
        """
        { "name": "beside", "version": 1, "start": "run", "steps": {
          "run": { "type": "subProcess", "start": "ask", "next": "count" },
          "ask": { "type": "task", "next": "ended", "boundary": [
            { "signal": "note", "correlation": "= id", "interrupting": false, "next": "later" } ] },
          "later": { "type": "waitSignal", "signal": "later", "next": "ended" }, "ended": { "type": "end" },
          "count": { "type": "set", "values": { "met": "= coalesce(met, 0) + 1" }, "next": "after" },
          "after": { "type": "waitSignal", "signal": "after", "next": "done" }, "done": { "type": "end", "output": "= met" } } }
        """;

    /// <summary>Three rounds of a sub-process.</summary>
    public const string Rounds =
        """
        { "name": "rounds", "version": 1, "start": "round", "steps": {
          "round": { "type": "subProcess", "start": "two", "next": "add", "boundary": [ { "signal": "stop", "correlation": "= id", "next": "add" } ] },
          "two": { "type": "fork", "branches": [ "wait", "quick" ], "join": "one" },
          "wait": { "type": "waitSignal", "signal": "go", "next": "one" }, "quick": { "type": "set", "values": { "quick": true }, "next": "one" },
          "one": { "type": "join", "next": "over" }, "over": { "type": "end" },
          "add": { "type": "set", "values": { "rounds": "= coalesce(rounds, 0) + 1" }, "next": "more" },
          "more": { "type": "decide", "cases": [ { "when": "= rounds < 3", "next": "round" } ], "otherwise": "done" },
          "done": { "type": "end", "output": "= rounds" } } }
        """;

    /// <summary>Fails inside for want of the variable <c>key</c>.</summary>
    public const string Retried =
        """
        { "name": "retried", "version": 1, "start": "outer", "steps": {
          "outer": { "type": "subProcess", "start": "split", "timeout": "PT8H", "onTimeout": "late", "next": "done", "boundary": [
            { "signal": "stop", "correlation": "= id", "next": "stopped" },
            { "signal": "note", "correlation": "= id", "result": "note", "interrupting": false, "next": "keep" } ] },
          "split": { "type": "fork", "branches": [ "ask", "bad" ], "join": "all" },
          "ask": { "type": "task", "result": "decision", "next": "all" },
          "bad": { "type": "waitSignal", "signal": "go", "next": "worse" },
          "worse": { "type": "waitSignal", "signal": "fix", "correlation": "= key", "next": "all" },
          "all": { "type": "join", "next": "over" }, "over": { "type": "end" },
          "keep": { "type": "set", "values": { "notes": "= concat(coalesce(notes, \"\"), note)" }, "next": "kept" }, "kept": { "type": "end" },
          "late": { "type": "end", "output": "late" }, "stopped": { "type": "end", "output": "stopped" },
          "done": { "type": "end", "output": [ "= decision", "= notes" ] } } }
        """;
}
