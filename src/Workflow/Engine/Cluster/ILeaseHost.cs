namespace Workflow.Engine.Cluster;

/// <summary>Runs the lanes whose leases the keeper holds.</summary>
internal interface ILeaseHost
{
    /// <summary>Loads and starts a lane whose lease is held.</summary>
    Task StartLaneAsync(int lane, CancellationToken cancellationToken);

    /// <summary>
    /// Stops routing commands to the lane and returns immediately. Stopping or dropping the lane follows.
    /// </summary>
    void CloseLane(int lane);

    /// <summary>Commits the accepted commands of the lane and ends it.</summary>
    Task StopLaneAsync(int lane);

    /// <summary>Ends a lane whose lease is lost: uncommitted commands fail.</summary>
    Task DropLaneAsync(int lane);

    /// <summary>Receives the state of the cluster after every renewal.</summary>
    Task ObserveAsync(ClusterView view, CancellationToken cancellationToken);
}
