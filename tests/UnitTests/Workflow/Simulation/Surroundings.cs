using Workflow.Abstractions.Activities;
using Workflow.Abstractions.Events;

namespace UnitTests.Workflow.Simulation;

/// <summary>What nodes call besides the store: an activity and a publisher, which record their inputs.</summary>
internal sealed class Surroundings(SimulationLoop loop, History history, CommitChecker commits, PlantedBug bug)
{
    /// <summary>Whether calls fail now and then.</summary>
    public bool IsFaulty { get; set; } = true;

    /// <summary>Takes a time, and fails now and then.</summary>
    public Activity ActivityOf(SimulatedProcess process) => new()
    {
        Name = "work",
        InvokeAsync = async (input, cancellationToken) =>
        {
            var called = CommitChecker.Tokens(input.ToString()).Single();
            commits.Expect(
                commits.IsDurable(
                    called), $"The activity was called for instance {called}, of which nothing is committed.");
            var isFirst = history.Called.Add(input.ToString());
            if (bug == PlantedBug.ActivityNotLaunchedAgain && !isFirst)
            {
                await Task.Delay(Timeout.InfiniteTimeSpan, process.Clock, cancellationToken);
            }

            var takes = loop.Between(TimeSpan.Zero, TimeSpan.FromSeconds(loop.Chance(20) ? 1 : 0.05));
            await Task.Delay(takes, process.Clock, cancellationToken);
            return IsFaulty && loop.Chance(25) ? throw new InvalidOperationException("So the seed decided.") : input;
        },
    };

    public IEventPublisher PublisherOf(SimulatedProcess process) => new Publisher(this, process);

    private sealed class Publisher(Surroundings surroundings, SimulatedProcess process) : IEventPublisher
    {
        public async Task PublishAsync(IntegrationEvent integrationEvent, CancellationToken cancellationToken)
        {
            await Task.Delay(surroundings.Pause(), process.Clock, cancellationToken);
            surroundings.Publish(integrationEvent.Id);
        }
    }

    private TimeSpan Pause() => loop.Between(TimeSpan.Zero, TimeSpan.FromMilliseconds(5));

    private void Publish(string id)
    {
        if (IsFaulty && loop.Chance(10))
        {
            throw new IOException("The transport has not taken it.");
        }

        loop.Note(() => $"published {id}");
        history.Published.Add(id);
    }
}
