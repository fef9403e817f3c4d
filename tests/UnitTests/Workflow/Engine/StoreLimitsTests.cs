using FsCheck;
using FsCheck.Fluent;
using IntegrationTests.Shared.Faults;
using Workflow.Abstractions.Activities;
using Workflow.Engine.Commands;

namespace UnitTests.Workflow.Engine;

/// <summary>Any input is refused, fails its instance, or is stored and read back equal.</summary>
public sealed class StoreLimitsTests
{
    /// <summary>Every input: a variable, an activity result, an event, a call, a signal, a task and the end.</summary>
    private const string EveryWay =
        """
        { "name": "every", "version": 1, "start": "copy", "steps": {
          "copy": { "type": "set", "values": { "copied": "= given" }, "next": "invoke" },
          "invoke": { "type": "invoke", "activity": "same", "input": "= copied", "result": "invoked", "next": "raise" },
          "raise": { "type": "raise", "event": "Seen", "payload": "= invoked", "next": "call" },
          "call": { "type": "call", "definition": "called", "input": { "given": "= given" },
            "result": "back", "next": "wait" },
          "wait": { "type": "waitSignal", "signal": "go", "result": "sent", "next": "task" },
          "task": { "type": "task", "result": "done", "next": "end" },
          "end": { "type": "end", "output": [ "= copied", "= invoked", "= back", "= sent", "= done" ] } } }
        """;

    private const string Called =
        """{ "name": "called", "version": 1, "start": "end", "steps": { "end": { "type": "end", "output": "= given" } } }""";

    private const string ByText =
        """
        { "name": "byText", "version": 1, "start": "task", "steps": {
          "task": { "type": "task", "assignee": "= given", "groups": [ "= given" ], "timeout": "PT1H", "onTimeout": "end", "next": "end" },
          "end": { "type": "end" } } }
        """;

    private const string ByKey =
        """
        { "name": "byKey", "version": 1, "start": "wait", "steps": {
          "wait": { "type": "waitSignal", "signal": "go", "correlation": "= given", "result": "sent", "next": "end" },
          "end": { "type": "end", "output": "= sent" } } }
        """;

    private static readonly string[] Fragments =
        ["", "a", "\0", "\ud83d", "\ude00", "😀", "\uffff", "\u2028", "'\"\\", "9999-12-31T23:59:59Z", new('k', 300),
            "ü漢"];

    private static readonly Gen<string> Text = Gen.Elements(Fragments).ArrayOf().Select(parts => string.Concat(parts));

    [Fact]
    public async Task Any_value_is_refused_or_read_back_equal()
    {
        await using var engine = await StrictAsync(EveryWay, Called);
        foreach (var value in Values(3).Sample(300))
        {
            var input = Value.From(new Dictionary<string, Value> { ["given"] = value });
            if (StoreLimits.ValueProblem(input) is not null)
            {
                await Assert.ThrowsAsync<InvalidCommandException>(() =>
                    engine.Engine.StartAsync(new() { Definition = "every", Input = input }, Cancel));
                continue;
            }

            var started = await engine.Engine.StartAsync(new() { Definition = "every", Input = input }, Cancel);
            await engine.Engine.SignalAsync(new() { Name = "go", InstanceId = started.Id, Payload = value }, Cancel);
            var task =
                Assert.Single((await engine.Engine.ListTasksAsync(new() { State = TaskState.Open }, Cancel)).Items);
            await engine.Engine.CompleteTaskAsync(new() { TaskId = task.Id, Output = value }, Cancel);

            var view = await engine.ViewAsync(started.Id);
            Assert.Equal(Value.From([value, value, value, value, value]), Value.From(view.Output!.Value));
            Assert.Equal(value, Value.From(view.Variables.GetProperty("given")));
        }

        Assert.All(engine.Events.Of<EventRaised>(), raised => Assert.NotNull(raised.Name));
        AssertNothingFailed(engine);
    }

    [Fact]
    public async Task Any_text_as_key_or_name_is_refused_or_stored_and_found_again()
    {
        await using var engine = await StrictAsync(ByText, ByKey);
        foreach (var text in Text.Sample(500))
        {
            var given = Value.From(new Dictionary<string, Value> { ["given"] = Value.From(text) });
            if (StoreLimits.ValueProblem(given) is not null)
            {
                continue;
            }

            var keyed = await engine.Engine.StartAsync(new() { Definition = "byKey", Input = given }, Cancel);
            var tasked = await engine.Engine.StartAsync(new() { Definition = "byText", Input = given }, Cancel);

            var isKey = StoreLimits.TextProblem(text, StoreLimits.MaxCorrelationKey) is null;
            var isName = StoreLimits.TextProblem(text, StoreLimits.MaxAssignee) is null;
            Assert.Equal(isKey ? InstanceState.Waiting : InstanceState.Failed, keyed.State);
            Assert.Equal(isName ? InstanceState.Waiting : InstanceState.Failed, tasked.State);
            if (isKey)
            {
                Assert.True((await engine.SignalAsync("go", text, "1")).Delivered);
            }

            if (isName)
            {
                var found = await engine.Engine.ListTasksAsync(new() { Assignee = text, Group = text }, Cancel);
                Assert.Contains(found.Items, task => task.InstanceId == tasked.Id);
            }
        }

        AssertNothingFailed(engine);
    }

    [Fact]
    public async Task Any_text_outside_is_refused_by_name_or_stored()
    {
        await using var engine = await StrictAsync(ByKey);
        foreach (var text in Text.Sample(500))
        {
            var refused = StoreLimits.TextProblem(text, StoreLimits.MaxCorrelationKey) is not null;
            await TryAsync(
                "correlationKey", refused, () => engine.StartAsync("byKey", """{ "given": "k" }""", key: text));
            await TryAsync("correlationKey", refused, () => engine.SignalAsync("other", text));
            await TryAsync("name", StoreLimits.TextProblem(text, StoreLimits.MaxName) is not null,
                () => engine.SignalAsync(text, "k"));
            await TryAsync("Idempotency-Key", StoreLimits.TextProblem(text, StoreLimits.MaxIdempotencyKey) is not null,
                () => engine.StartAsync("byKey", """{ "given": "k" }""", idempotencyKey: text));
        }

        AssertNothingFailed(engine);

        static async Task TryAsync(string parameter, bool refused, Func<Task> send)
        {
            if (refused)
            {
                Assert.Equal(parameter, (await Assert.ThrowsAsync<InvalidCommandException>(send)).Parameter);
            }
            else
            {
                await send();
            }
        }
    }

    private static Gen<Value> Values(int depth)
    {
        var scalar = Gen.OneOf(
            Text.Select(text => Value.From(text)),
            Gen.Elements(0m, -0.0m, 1.50m, decimal.MaxValue, decimal.MinValue, 0.0000000000000000000000000001m)
                .Select(Value.From),
            Gen.Elements(Value.Null, Value.From(true), Value.From(false)));
        if (depth == 0)
        {
            return scalar;
        }

        var list = Values(depth - 1).ArrayOf().Select(Value.From);
        var context = from names in Text.ArrayOf()
                      from values in Values(depth - 1).ArrayOf()
                      select Value.From(
                          names.Zip(values).DistinctBy(p => p.First).ToDictionary(p => p.First, p => p.Second));
        return Gen.Frequency((3, scalar), (1, list), (1, context));
    }

    private static async Task<EngineSession> StrictAsync(params string[] definitions)
    {
        var same = new Activity { Name = "same", Inline = true, InvokeAsync = (input, _) => new(input) };
        return await EngineSession.StartAsync(
            new FaultyStore(new InMemoryStore()) { Around = Refuse },
            new WorkflowEngineOptions { Lanes = 1, Activities = [same] })
            .WithAsync(definitions);
    }

    private static void AssertNothingFailed(EngineSession engine) =>
        Assert.Equal((0, 0), (engine.Engine.Statistics.FailedFlushes, engine.Engine.Statistics.RejectedCommands));

    /// <summary>Refuses what any store refuses: U+0000, unpaired surrogates, and instants out of range.</summary>
    private static Task Refuse(IReadOnlyList<FlushBatch> batches, Func<Task> flush)
    {
        var bad = batches.SelectMany(Texts).FirstOrDefault(t => t is not null && !StoreLimits.IsText(t));
        var signals =
            batches.SelectMany(b => b.Pending).Where(r => r.Kind == PendingKind.Signal).Select(AcceptedSignal.Of);
        return bad is null && signals.All(signal => signal.ExpiresUtc.Year < 9999)
            ? flush()
            : throw new FlushException(FlushFailure.Rejected, $"no store keeps '{bad}'");
    }

    private static readonly UTF8Encoding Strict =
        new(encoderShouldEmitUTF8Identifier: false, throwOnInvalidBytes: true);

    private static IEnumerable<string?> Texts(FlushBatch batch) =>
    [
        .. batch.Instances.SelectMany(i => new[] { i.Row.CorrelationKey, i.Row.Body, i.Row.History }),
        .. batch.Tasks.OfType<TaskRow>()
            .SelectMany(r => new[] { r.Assignee, r.Output, r.CorrelationKey }.Concat(r.Groups)),
        .. batch.Tasks.OfType<TaskChange>().SelectMany(r => new[] { r.Assignee, r.Output }),
        .. batch.Keys.Select(r => r.Key), .. batch.Events.Select(r => Strict.GetString(r.Body)),
        .. batch.Pending.Select(r => r.Body),
    ];
}
