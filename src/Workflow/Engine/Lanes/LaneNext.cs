namespace Workflow.Engine.Lanes;

/// <summary>What a lane does after a step.</summary>
internal enum LaneNext
{
    /// <summary>The next step, immediately.</summary>
    Step,

    /// <summary>The next step when the lane is woken or its next timer is due.</summary>
    Sleep,

    /// <summary>Reads keys and instances from the store; <see cref="LaneCore.ContinueAfterLookUp"/> follows.</summary>
    LookUp,

    /// <summary>Reads memory from the store; <see cref="LaneCore.ContinueAfterReload"/> follows.</summary>
    Reload,

    /// <summary>Ends: the lane has stopped and all its commands are finished.</summary>
    End,
}
