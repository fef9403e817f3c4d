namespace Workflow.Engine.Lanes;

/// <summary>Reads from the store of a lane: its memory, keys, and instances to retry.</summary>
/// <param name="slots">The slots of the lane that may be in the store.</param>
/// <param name="stopped">Cancels reads for a running lane.</param>
internal sealed class LaneLoader(
    LaneAssignment assignment, LaneServices services, LaneWork work, LaneCore core, LaneIntake intake, SlotIndex slots,
    CancellationToken stopped)
    : IAsyncDisposable
{
    private static readonly TimeSpan FirstPause = TimeSpan.FromMilliseconds(20);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(1);

    /// <summary>The number of slots in a page of the index.</summary>
    private const int SlotPage = 20_000;

    /// <summary>The lane's connection; null while it is being reopened.</summary>
    public ILaneStore? Store { get; private set; }

    /// <summary>The epoch of the last load; null before it.</summary>
    public long? Epoch { get; private set; }

    private short[] OwnPartitions =>
        [.. Enumerable.Range(0, Partitioning.Count).Select(p => (short)p).Where(assignment.Owns)];

    /// <returns>The published position of its events.</returns>
    public async Task<long> LoadAsync(CancellationToken cancellationToken)
    {
        await DisposeAsync();
        intake.Inbox.BeginLoad();
        Store = await services.Store.OpenLaneAsync(assignment, cancellationToken);
        var snapshot = await Store.LoadAsync(cancellationToken);
        Epoch = snapshot.Epoch;
        Message[] messages = [.. snapshot.Pending.Where(row => row.Kind == PendingKind.Message).Select(Message.Of)];
        await EnsureDefinitionsAsync([], messages, cancellationToken);
        var loaded = new LaneState(work, services.Options, services.Time, services.Runtime, slots);
        loaded.Load(snapshot, OwnPartitions);
        var recovery = loaded.Dormancy.IsRecovered
            ? null
            : new LaneRecovery(Store, services, work, intake, assignment.Index);
        Log.LaneLoaded(
            services.Logger, assignment.Index, loaded.SignalStore.Stored.Count, messages.Length,
            snapshot.Instances, snapshot.DormantInstances);
        intake.Inbox.EndLoad(assignment.Node is null ? [] : [.. messages.Select(m => m.Id)]);
        var store = Store;
        var dueReader = new LaneDueReader(
            (page, token) => ReadDueAsync(store, page, token), services, work, intake, assignment.Index);
        core.Load(loaded, messages, snapshot.LastBatch, Store, work, recovery, dueReader);
        BuildSlotsIfMissing();
        return snapshot.PublishedSequence;
    }

    /// <summary>
    /// Repeats the load until the store is back. Commands wait for the outage tolerance and are then refused.
    /// </summary>
    /// <returns>False if the waiting commands were refused.</returns>
    public async Task<bool> TryReloadAsync(LaneReload reload)
    {
        var refused = false;
        var held = core.HeldCommands();
        var since = services.Time.GetTimestamp();
        var backoff = new Backoff(FirstPause, LongestPause, services.Time);
        while (true)
        {
            try
            {
                var load = LoadAsync(stopped);
                if (!refused && !await CompletesInTimeAsync(load, since))
                {
                    // The load continues and may change the lane's memory and mailbox at this moment, so only the
                    // callers are touched.
                    intake.BeginOutage((int)services.Time.GetElapsedTime(since).TotalSeconds, held);
                }

                await load;
                intake.EndOutage();
                return !refused;
            }
            catch (WorkflowException e) when (e is EngineAlreadyRunningException or LaneMovedException)
            {
                services.LaneLost(assignment.Index);
                if (!refused)
                {
                    FailMoved(reload, e);
                }

                throw;
            }
            catch (Exception e)
            {
                Log.LoadFailed(services.Logger, e, assignment.Index, backoff.Next.TotalMilliseconds);
                var outage = services.Time.GetElapsedTime(since);
                if (outage >= services.Options.OutageTolerance || intake.IsStopping)
                {
                    GiveUp(refused ? [] : reload.Commands, reload.Cause, e, outage);
                    refused = true;
                }

                await backoff.PauseAsync(CancellationToken.None);
            }
        }
    }

    /// <summary>Whether the load completes before callers have waited for the store timeout.</summary>
    private async Task<bool> CompletesInTimeAsync(Task load, long since)
    {
        var left = services.StoreTimeout - services.Time.GetElapsedTime(since);
        using var isOver = new CancellationTokenSource();
        var late = Task.Delay(left > TimeSpan.Zero ? left : TimeSpan.Zero, services.Time, isOver.Token);
        var first = await Task.WhenAny(load, late);
        await services.Runtime.CancelAsync(isOver);
        return first == load;
    }

    /// <summary>
    /// Takes over instances that were in memory before the load. Then looks up which keys were used before and reads
    /// the dormant instances that are needed, in parallel with the flush in flight: one round trip for all keys and one
    /// for all instances, and no commit. Then reads the rows of instances to retry, which are not in memory.
    /// </summary>
    public async ValueTask<FlushException?> LookUpAsync()
    {
        try
        {
            await RecoverAsync();
            var keys = core.UnknownKeys;
            var dormant = ReadDormantAsync();
            var found = keys.Count == 0 ? Task.FromResult<IReadOnlyList<IdempotencyRow>>([])
                : Store!.FindKeysAsync(keys, stopped);
            await dormant.ConfigureAwait(
                ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ContinueOnCapturedContext);
            core.Remember(await found);
            await dormant;
            foreach (var retry in core.Retries)
            {
                retry.Row = await services.Store.FindInstanceAsync(retry.InstanceId, stopped);
                await EnsureDefinitionsAsync(retry.Row is { } row ? [row] : [], [], stopped);
            }

            return null;
        }
        catch (Exception e)
        {
            return new FlushException(
                FlushFailure.Unavailable,
                $"An idempotency key or an instance could not be looked up in the store: {e.Message}", e);
        }
    }

    /// <summary>Takes over instances that were in memory before the load.</summary>
    private async ValueTask RecoverAsync()
    {
        if (core.Recoverable is not { Count: > 0 } partitions)
        {
            return;
        }

        var rows = await core.Recovery!.RowsOfAsync(partitions, stopped);
        await EnsureDefinitionsAsync(rows, [], stopped);
        core.AdmitRecovered(partitions, rows, work);
        BuildSlotsIfMissing();
    }

    private async Task ReadDormantAsync()
    {
        if (core.Needs is { } needs)
        {
            var began = services.Time.GetTimestamp();
            var found = await Store!.Dormant.FindAsync(needs, stopped);
            await EnsureDefinitionsAsync(found, [], stopped);
            core.Admit(needs, found);
            services.Telemetry.CountLookUp(services.Time.GetElapsedTime(began));
            if (slots.NeedsRebuild(core.DormantRows))
            {
                BuildSlots();
            }
        }
    }

    /// <summary>Reads a page of timers, and the definitions that the instances need.</summary>
    private async Task<IReadOnlyList<DormantDue>> ReadDueAsync(
        ILaneStore store, DuePage page, CancellationToken cancellationToken)
    {
        var read = await store.Dormant.ReadDueAsync(page.After, page.Until, page.Limit, cancellationToken);
        await EnsureDefinitionsAsync(read.Select(due => due.Row), [], cancellationToken);
        return read;
    }

    /// <summary>
    /// Not before the recovery is over: until the slots are known, the store is asked about each, which is right too.
    /// </summary>
    private void BuildSlotsIfMissing()
    {
        if (core is { DormantRows: > 0, Recovery: null } && !slots.IsComplete)
        {
            BuildSlots();
        }
    }

    /// <summary>Begins to read the slots of all dormant instances, beside the work of the lane.</summary>
    private void BuildSlots()
    {
        if (!slots.IsBuilding)
        {
            slots.BeginBuild();
            work.RunRelay(ReadSlotsAsync);
        }
    }

    private async Task ReadSlotsAsync(CancellationToken cancellationToken)
    {
        var began = services.Time.GetTimestamp();
        var read = 0L;
        var partitions = OwnPartitions;
        foreach (var partition in partitions)
        {
            IReadOnlyList<long> page;
            long? after = null;
            do
            {
                page = await ReadSlotsAsync(partition, after, cancellationToken);
                after = page.Count == 0 ? after : page[^1];
                read += page.Count;
                intake.PostInternal(new SlotsLaneCommand(
                    slots, page, isLast: partition == partitions[^1] && page.Count < SlotPage));
            }
            while (page.Count == SlotPage);
        }

        Log.SlotsRead(
            services.Logger, assignment.Index, read, services.Time.GetElapsedTime(began).TotalSeconds);
    }

    /// <summary>Repeats the read until the store answers.</summary>
    private async Task<IReadOnlyList<long>> ReadSlotsAsync(
        short partition, long? after, CancellationToken cancellationToken) =>
        (await RepeatedRead.UntilAnsweredAsync(
            token => Store is { } store
                ? store.Dormant.ReadSlotsAsync(partition, after, SlotPage, token)
                : throw new InvalidOperationException("The connection of the lane is opened again."),
            () => false,
            (e, pauseMs) => Log.SlotsFailed(services.Logger, e, assignment.Index, pauseMs),
            services.Time, cancellationToken))!;

    /// <summary>Loads definitions that another node may have registered.</summary>
    public ValueTask EnsureDefinitionsAsync(
        IEnumerable<InstanceRow> instances, IEnumerable<Message> messages, CancellationToken cancellationToken)
    {
        if (assignment.Node is null)
        {
            return ValueTask.CompletedTask;
        }

        var starts = messages.Where(m => m.Kind == RemoteKind.Start).Select(m => RemoteCommand.Parse(m.Json.Span));
        var needed = instances.Select(i => (i.Definition, i.DefinitionVersion))
            .Concat(starts.Select(c => (c.Definition!, c.Version)));
        return services.Definitions.EnsureAsync(needed, cancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        if (Store is not null)
        {
            await Store.DisposeAsync();
            Store = null;
        }
    }

    /// <summary>Another node has taken the lane over: fails the pending commands.</summary>
    private void FailMoved(LaneReload reload, WorkflowException moved)
    {
        var unknown = new StoreUnavailableException(
            $"The flush was cut off ({reload.Cause.Message}) and another node has taken the lane over. The command may "
            + "or may not be committed: repeat it with the same idempotency key.",
            outcomeUnknown: true,
            moved);
        foreach (var command in reload.Commands)
        {
            var isUnknown = reload.Cause.Failure == FlushFailure.Unavailable
                && reload.InFlight?.Commands.Contains(command) is true;
            intake.Resolve(command, c => c.Fail(isUnknown ? unknown : moved));
        }
    }

    private void GiveUp(IReadOnlyList<LaneCommand> held, FlushException cause, Exception error, TimeSpan outage)
    {
        var refusal = new StoreUnavailableException(
            $"The store has been unavailable for {outage.TotalSeconds:0.0} s ({error.Message}; at first: "
            + $"{cause.Message}). A command in flight may or may not be committed: repeat it with the same idempotency "
            + "key.",
            outcomeUnknown: true,
            error);
        intake.Refusal = refusal;
        core.FailAll(held, refusal);
        if (intake.IsStopping)
        {
            throw refusal;
        }
    }
}
