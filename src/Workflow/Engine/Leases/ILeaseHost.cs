using Workflow.Abstractions.Stores;

namespace Workflow.Engine.Leases;

/// <summary>Runs the lanes that a keeper of leases has.</summary>
internal interface ILeaseHost
{
    /// <summary>Loads the lane, whose lease is there, and begins to work.</summary>
    Task StartLaneAsync(int lane, CancellationToken cancellationToken);

    /// <summary>Commands do not go to the lane any more. Returns at once; stopping or dropping it follows.</summary>
    void CloseLane(int lane);

    /// <summary>Commits what the lane has accepted, and ends it.</summary>
    Task StopLaneAsync(int lane);

    /// <summary>Ends a lane whose lease is gone: commands that are not committed are told so.</summary>
    Task DropLaneAsync(int lane);

    /// <summary>Looks at how things stand, after every renewal.</summary>
    Task ObserveAsync(ClusterView view, CancellationToken cancellationToken);
}
