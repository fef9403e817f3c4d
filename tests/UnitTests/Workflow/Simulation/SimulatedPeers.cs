using Workflow.Contracts.Signals;
using Workflow.Engine.Commands;

namespace UnitTests.Workflow.Simulation;

/// <summary>Requests from a node to others, and the answers.</summary>
internal sealed class SimulatedPeers(
    SimulationLoop loop, Network network, SimulatedProcess own, Func<int, SimulatedNode?> nodeAt,
    PlantedBug bug)
    : IPeerTransport
{
    public static Uri AddressOf(SimulatedProcess process) => new($"http://node:{process.Number}");

    public Task<PeerReply> SendAsync(Peer peer, PeerRequest request, TimeSpan timeout)
    {
        loop.Record("peer");
        var fault = network.NextPeerFault();
        loop.Note(() => $"node {own.Number} asks node {peer.Address.Port}: {request.Kind} {request.Id}, fault {fault}");
        var reply = new TaskCompletionSource<PeerReply>(TaskCreationOptions.RunContinuationsAsynchronously);
        if (fault == PeerFault.Refused || nodeAt(peer.Address.Port) is not { } target)
        {
            Answer(new(PeerOutcome.Unreachable), network.Latency());
            return reply.Task;
        }

        Answer(new(PeerOutcome.Unknown), timeout);
        target.Process.Killed += () => Answer(new(PeerOutcome.Unknown), network.Latency());
        if (fault != PeerFault.Lost)
        {
            Deliver(fault == PeerFault.Late ? loop.Between(TimeSpan.Zero, timeout * 3) : network.Latency());
        }

        if (fault == PeerFault.Doubled)
        {
            Deliver(loop.Between(TimeSpan.Zero, timeout * 3));
        }

        return reply.Task;

        void Answer(PeerReply outcome, TimeSpan after) => own.Post(() => reply.TrySetResult(outcome), after);

        void Deliver(TimeSpan after) => target.Process.Post(async () =>
        {
            PeerReply outcome;
            try
            {
                outcome = await target.Engine.ExecuteForPeerAsync(request);
            }
            catch (IOException e)
            {
                loop.Note(() => $"node {target.Process.Number} could not execute {request.Id}: {e.Message}");
                outcome = new(PeerOutcome.Unknown);
            }

            if (bug == PlantedBug.AnswerOfOldEpoch && outcome.Outcome == PeerOutcome.NotOwner
                && request.Kind == RemoteKind.Send)
            {
                outcome = new(
                    PeerOutcome.Answered,
                    RemoteReply.Of(new SignalAccepted(request.Id, Delivered: true, Duplicate: false)).ToJson());
            }

            if (fault != PeerFault.AnswerLost)
            {
                Answer(outcome, network.Latency());
            }
        }, after);
    }
}
