namespace UnitTests.Workflow.Simulation;

/// <summary>What the clients start.</summary>
internal static class WorkloadDefinitions
{
    public static readonly DefinitionRow[] All = [.. Sources().Select(Compiled)];

    private static DefinitionRow Compiled(string source)
    {
        var compiled = DefinitionCompiler.Compile(Encoding.UTF8.GetBytes(source), new DefinitionRules());
        var definition = compiled.Definition ?? throw new InvalidOperationException(string.Join(" ", compiled.Errors));
        return new(definition.Name, definition.Version, definition.ContentHash, definition.CanonicalJson,
            DateTimeOffset.UnixEpoch);
    }

    private static IEnumerable<string> Sources() =>
    [
        """
        { "name": "twice", "version": 1, "start": "first", "steps": {
          "first": { "type": "waitSignal", "signal": "go", "correlation": "= k", "result": "one", "next": "second" },
          "second": { "type": "waitSignal", "signal": "go", "correlation": "= k", "result": "two", "next": "done" },
          "done": { "type": "end" } } }
        """,
        """
        { "name": "timed", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= k", "timeout": "PT1S", "onTimeout": "late", "result": "one",
            "next": "done" },
          "late": { "type": "fail", "error": "late", "code": "LATE" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "fan", "version": 1, "start": "split", "steps": {
          "split": { "type": "fork", "branches": [ "a", "b", "c" ], "join": "all" },
          "a": { "type": "waitSignal", "signal": "go", "correlation": "= k", "timeout": "PT2S", "onTimeout": "all", "result": "one",
            "next": "all" },
          "b": { "type": "delay", "duration": "PT0.5S", "next": "all" },
          "c": { "type": "invoke", "activity": "work", "input": { "of": "= op" }, "onError": "all", "next": "all" },
          "all": { "type": "join", "next": "done" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "retry", "version": 1, "start": "call", "steps": {
          "call": { "type": "invoke", "activity": "work", "input": { "of": "= op" }, "onError": "sorry", "next": "done",
            "retry": { "maxAttempts": 3, "initialInterval": "PT0.2S" } },
          "sorry": { "type": "fail", "error": "sorry" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "mended", "version": 1, "start": "outer", "steps": {
          "outer": { "type": "subProcess", "start": "split", "onError": "undo", "next": "count" },
          "split": { "type": "fork", "branches": [ "wait", "pause", "work" ], "join": "all" },
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= k", "timeout": "PT2S", "onTimeout": "all", "result": "one",
            "next": "all" },
          "pause": { "type": "delay", "duration": "PT0.3S", "next": "all" },
          "work": { "type": "invoke", "activity": "work", "input": { "of": "= op" }, "next": "all" },
          "all": { "type": "join", "next": "over" }, "over": { "type": "end" },
          "undo": { "type": "delay", "duration": "PT0.1S", "next": "sorry" }, "sorry": { "type": "fail", "error": "sorry" },
          "count": { "type": "set", "values": { "met": "= coalesce(met, 0) + 1" }, "next": "done" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "calls", "version": 1, "start": "sub", "steps": {
          "sub": { "type": "call", "definition": "timed", "input": { "k": "= k" }, "onError": "sorry", "errorResult": "e", "next": "done" },
          "sorry": { "type": "end" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "part", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= k", "timeout": "PT1S", "onTimeout": "late", "result": "one",
            "next": "done" },
          "late": { "type": "fail", "error": "late", "code": "LATE" }, "done": { "type": "end", "output": "= n" } } }
        """,
        """
        { "name": "each", "version": 1, "start": "all", "steps": {
          "all": { "type": "callEach", "definition": "part", "items": [ "= k", "key 0", "key 1", "= k" ], "maxConcurrency": 3,
            "input": { "k": "= item", "n": "= index" }, "completionCondition": "= numberOfCompletedInstances >= 2",
            "result": "r", "onError": "sorry", "errorResult": "e", "next": "done" },
          "sorry": { "type": "end" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "queue", "version": 1, "start": "all", "steps": {
          "all": { "type": "callEach", "definition": "part", "count": 2, "maxConcurrency": 1, "input": { "k": "= k", "n": "= index" },
            "result": "r", "next": "done" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "opened", "version": 1, "start": "pause", "startOn": [ { "signal": "open", "result": "opening" } ], "steps": {
          "pause": { "type": "delay", "duration": "PT0.2S", "next": "done" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "some", "version": 1, "start": "split", "steps": {
          "split": { "type": "inclusive", "join": "all", "otherwise": "c", "cases": [
            { "when": "= k = \"key 0\" or k = \"key 2\"", "next": "a" }, { "when": "= k != \"key 1\"", "next": "b" } ] },
          "a": { "type": "waitSignal", "signal": "go", "correlation": "= k", "timeout": "PT2S", "onTimeout": "all", "result": "one",
            "next": "all" },
          "b": { "type": "delay", "duration": "PT0.3S", "next": "all" },
          "c": { "type": "invoke", "activity": "work", "input": { "of": "= op" }, "onError": "all", "next": "all" },
          "all": { "type": "join", "next": "count" },
          "count": { "type": "set", "values": { "met": "= coalesce(met, 0) + 1" }, "next": "done" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "choice", "version": 1, "start": "first", "steps": {
          "first": { "type": "waitFirst", "events": [
            { "signal": "go", "correlation": "= k", "result": "one", "next": "pause" },
            { "signal": "alt", "correlation": "= k", "result": "two", "next": "pause" }, { "duration": "PT1S", "next": "late" } ] },
          "late": { "type": "set", "values": { "late": true }, "next": "pause" }, "pause": { "type": "delay", "duration": "PT0.2S", "next": "done" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "guarded", "version": 1, "start": "split", "steps": {
          "split": { "type": "fork", "branches": [ "ask", "side" ], "join": "all" },
          "ask": { "type": "task", "result": "t", "next": "all", "boundary": [
            { "signal": "go", "correlation": "= k", "result": "note", "interrupting": false, "next": "keep" },
            { "signal": "alt", "correlation": "= k", "result": "one", "next": "all" },
            { "duration": "PT0.5S", "interrupting": false, "next": "remind" }, { "duration": "PT3S", "next": "all" } ] },
          "keep": { "type": "set", "values": { "notes": "= concat(coalesce(notes, \"\"), note)", "note": null }, "next": "kept" },
          "kept": { "type": "end" },
          "remind": { "type": "set", "values": { "reminded": "= coalesce(reminded, 0) + 1" }, "next": "all" },
          "side": { "type": "delay", "duration": "PT0.3S", "next": "all" },
          "all": { "type": "join", "next": "count" },
          "count": { "type": "set", "values": { "met": "= coalesce(met, 0) + 1" }, "next": "done" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "inside", "version": 1, "start": "outer", "steps": {
          "outer": { "type": "subProcess", "start": "split", "timeout": "PT3S", "onTimeout": "count", "onError": "count", "errorResult": "e",
            "next": "count", "boundary": [ { "signal": "alt", "correlation": "= k", "result": "one", "next": "count" },
              { "duration": "PT0.6S", "interrupting": false, "next": "remind" } ] },
          "split": { "type": "fork", "branches": [ "ask", "inner", "sub" ], "join": "all" },
          "ask": { "type": "task", "result": "t", "next": "all", "boundary": [
            { "signal": "go", "correlation": "= k", "result": "note", "interrupting": false, "next": "keep" } ] },
          "keep": { "type": "set", "values": { "notes": "= concat(coalesce(notes, \"\"), note)", "note": null }, "next": "kept" },
          "kept": { "type": "end" },
          "inner": { "type": "subProcess", "start": "work", "onError": "soothe", "next": "all" },
          "work": { "type": "invoke", "activity": "work", "input": { "of": "= op" }, "next": "worked",
            "boundary": [ { "duration": "PT0.02S", "interrupting": false, "next": "slow" } ] },
          "slow": { "type": "delay", "duration": "PT0.1S", "next": "worked" }, "worked": { "type": "end" },
          "soothe": { "type": "set", "values": { "soothed": "= coalesce(soothed, 0) + 1" }, "next": "all" },
          "sub": { "type": "call", "definition": "timed", "input": { "k": "= k" }, "next": "all" },
          "all": { "type": "join", "next": "over" }, "over": { "type": "end" },
          "remind": { "type": "set", "values": { "reminded": "= coalesce(reminded, 0) + 1" }, "next": "pause" },
          "pause": { "type": "delay", "duration": "PT0.3S", "next": "done" },
          "count": { "type": "set", "values": { "met": "= coalesce(met, 0) + 1" }, "next": "done" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "ended", "version": 1, "start": "split", "steps": {
          "split": { "type": "fork", "branches": [ "outer", "beside" ], "join": "met" },
          "outer": { "type": "subProcess", "start": "two", "next": "met" },
          "two": { "type": "fork", "branches": [ "first", "each", "ask" ], "join": "both" },
          "first": { "type": "waitFirst", "events": [
            { "signal": "go", "correlation": "= k", "result": "one", "next": "cut" }, { "duration": "PT1S", "next": "cut" } ] },
          "cut": { "type": "end", "terminate": true },
          "each": { "type": "callEach", "definition": "part", "count": 2, "maxConcurrency": 1, "input": { "k": "= k", "n": "= index" },
            "result": "r", "next": "both" },
          "ask": { "type": "task", "result": "t", "next": "both" }, "both": { "type": "join", "next": "over" }, "over": { "type": "end" },
          "beside": { "type": "delay", "duration": "PT1.5S", "next": "met" },
          "met": { "type": "join", "next": "count" },
          "count": { "type": "set", "values": { "met": "= coalesce(met, 0) + 1" }, "next": "done" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "again", "version": 1, "start": "round", "steps": {
          "round": { "type": "subProcess", "start": "two", "next": "add", "boundary": [
            { "signal": "alt", "correlation": "= k", "result": "two", "next": "add" } ] },
          "two": { "type": "fork", "branches": [ "wait", "pause", "work" ], "join": "both" },
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= k", "timeout": "PT0.5S", "onTimeout": "both", "result": "one",
            "next": "both" },
          "pause": { "type": "delay", "duration": "PT0.2S", "next": "both" },
          "work": { "type": "invoke", "activity": "work", "input": { "of": "= op" }, "next": "both" },
          "both": { "type": "join", "next": "over" }, "over": { "type": "end" },
          "add": { "type": "set", "values": { "rounds": "= coalesce(rounds, 0) + 1", "one": null, "two": null,
            "notes": "= concat(coalesce(notes, \"\"), coalesce(one, \"\"), coalesce(two, \"\"))" }, "next": "more" },
          "more": { "type": "decide", "cases": [ { "when": "= rounds < 3", "next": "round" } ], "otherwise": "done" },
          "done": { "type": "end" } } }
        """,
        """
        { "name": "desk", "version": 1, "start": "ask", "steps": {
          "ask": { "type": "task", "timeout": "PT3S", "onTimeout": "late", "result": "t", "next": "done" },
          "late": { "type": "end" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "direct", "version": 1, "start": "first", "steps": {
          "first": { "type": "waitSignal", "signal": "poke", "result": "one", "next": "pause" },
          "pause": { "type": "delay", "duration": "PT0.3S", "next": "second" },
          "second": { "type": "waitSignal", "signal": "poke", "result": "two", "next": "done" },
          "done": { "type": "end" } } }
        """,
        """
        { "name": "ordered", "version": 1, "start": "s1", "steps": {
          "s1": { "type": "waitSignal", "signal": "ord", "correlation": "= k", "result": "o1", "next": "s2" },
          "s2": { "type": "waitSignal", "signal": "ord", "correlation": "= k", "result": "o2", "next": "s3" },
          "s3": { "type": "waitSignal", "signal": "ord", "correlation": "= k", "result": "o3", "next": "s4" },
          "s4": { "type": "waitSignal", "signal": "ord", "correlation": "= k", "result": "o4", "next": "done" },
          "done": { "type": "end" } } }
        """,
        """
        { "name": "fragile", "version": 1, "start": "split", "steps": {
          "split": { "type": "fork", "branches": [ "a", "b", "c", "d" ], "join": "all" },
          "a": { "type": "waitSignal", "signal": "go", "correlation": "= k", "result": "one", "next": "all" },
          "b": { "type": "invoke", "activity": "work", "input": { "of": "= op" }, "next": "all" },
          "c": { "type": "delay", "duration": "PT1S", "next": "all" },
          "d": { "type": "task", "result": "t", "next": "all" },
          "all": { "type": "join", "next": "done" }, "done": { "type": "end" } } }
        """,
        """
        { "name": "paced", "version": 1, "start": "pause", "steps": {
          "pause": { "type": "delay", "duration": "PT0.3S", "next": "say" },
          "say": { "type": "raise", "event": "Said", "payload": { "k": "= k" }, "next": "wait" },
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= k", "result": "one", "next": "done" },
          "done": { "type": "end" } } }
        """,
    ];
}
