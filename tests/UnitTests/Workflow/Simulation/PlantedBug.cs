namespace UnitTests.Workflow.Simulation;

/// <summary>Bugs that a simulation must find: each breaks one promise of a store, or of what is beside it.</summary>
public enum PlantedBug
{
    None,

    /// <summary>A flush is committed regardless of the epoch of its writer.</summary>
    FenceSkipped,

    /// <summary>A flush returns before it is committed.</summary>
    AcknowledgedBeforeCommit,

    /// <summary>A node that takes a lane over does not see when waits are due.</summary>
    TimerLostOnTakeover,

    /// <summary>Now and then a removed message is there again.</summary>
    MessageAppliedTwice,

    /// <summary>Now and then a message between partitions is not stored.</summary>
    MessageLost,

    /// <summary>Now and then a removed signal is there again.</summary>
    RemovedSignalKept,

    /// <summary>What is called a second time for one step never returns.</summary>
    ActivityNotLaunchedAgain,

    /// <summary>A reply is given to the next caller as well.</summary>
    ReplyTwice,

    /// <summary>A lane is loaded as it was before its last commit.</summary>
    StaleSnapshot,

    /// <summary>A flush that reaches the server twice is committed twice, where no other guard refuses it.</summary>
    BatchNumberUnchecked,

    /// <summary>Now and then an idempotency key is not stored.</summary>
    IdempotencyKeyLost,

    /// <summary>Now and then an event is not stored.</summary>
    EventLost,

    /// <summary>The key of a request from node to node is not stored.</summary>
    NodeKeyLost,

    /// <summary>A request that goes by the inbox, too, loses the key by which the two copies are one.</summary>
    InboxCopyUnkeyed,

    /// <summary>A node that no longer has the lane answers a signal as if it had.</summary>
    AnswerOfOldEpoch,

    /// <summary>A signal in an inbox is answered before it is applied, so that others overtake it.</summary>
    AnsweredInInbox,

    /// <summary>Now and then a look-up does not find the dormant instance that waits in a slot.</summary>
    WakeForgotten,

    /// <summary>Now and then an instance that was woken stays dormant in the store, too.</summary>
    WokenTwice,

    /// <summary>Now and then the timer of a dormant instance is not read ahead.</summary>
    DormantTimerLost,

    /// <summary>A look-up returns a dormant instance as it was when it became dormant before.</summary>
    StaleDormantRow,

    /// <summary>Who takes a lane over looks up what its former owner has just woken as if it were still dormant.</summary>
    LookUpOfOldEpoch,

    /// <summary>Now and then a look-up returns an instance that has ended since.</summary>
    EndedTakenForDormant,
}
