using Microsoft.Extensions.Logging.Abstractions;
using Workflow.Abstractions.Activities;
using Workflow.Engine;

namespace UnitTests.Workflow.Engine;

public sealed class WorkflowEngineOptionsTests
{
    [Fact]
    public async Task Defaults_are_valid()
    {
        await using var engine = Make(new());
        Assert.InRange(engine.Statistics.Lanes, 1, 8);
    }

    [Fact]
    public void Every_violation_is_reported_at_once_with_its_value()
    {
        var error = Assert.Throws<ArgumentException>(() => Make(new()
        {
            Lanes = 65,
            MaxBatchCommands = -1,
            MaxStepsPerCommand = 0,
            MaxWorkPerCommand = 0,
            Limits = new() { MaxPendingCommands = 0, MaxInstanceSize = 0, MaxDefinitionsSize = -1 },
            SignalTimeToLive = TimeSpan.Zero,
            OutageTolerance = TimeSpan.FromSeconds(-1),
            Retention = new() { Events = TimeSpan.Zero, FinishedInstances = TimeSpan.FromHours(1), Portion = 0 },
            EventWindow = 0,
            Activities = [Named("echo"), Named("other"), Named("echo")],
            SignalReceivers = [new() { Name = "work" }, new() { Name = "work" }],
        }));

        string[] expected =
        [
            "Lanes is 65; it must be 1 to 64", "MaxPendingCommands is 0", "MaxBatchCommands is -1",
            "MaxStepsPerCommand is 0",
            "MaxWorkPerCommand is 0", "MaxInstanceSize is 0; it must be 1 or more", "MaxDefinitionsSize is -1",
            "SignalTimeToLive is 00:00:00",
            "OutageTolerance is -00:00:01", "Retention.Events is 00:00:00",
            "Retention.FinishedInstances is 01:00:00; it must be at least Retention.Keys", "Retention.Portion is 0",
            "EventWindow is 0", "Activities names 'echo' 2 times",
            "SignalReceivers names 'work' 2 times",
        ];
        Assert.All(expected, words => Assert.Contains(words, error.Message, StringComparison.Ordinal));
        Assert.DoesNotContain("'other'", error.Message, StringComparison.Ordinal);
    }

    private static WorkflowEngine Make(WorkflowEngineOptions options) =>
        new(new InMemoryStore(), options, TimeProvider.System, NullLoggerFactory.Instance);

    private static Activity Named(string name) =>
        new() { Name = name, InvokeAsync = (input, _) => new ValueTask<Value>(input) };
}
