namespace UnitTests.Workflow.Simulation;

/// <summary>One seed: a cluster, its clients and its faults, until the faults end and everything is checked.</summary>
internal sealed class SimulationRun
{
    private static readonly TimeSpan LongestRest = TimeSpan.FromSeconds(60);
    private readonly SimulationLoop _loop;
    private readonly SimulatedProcess _server;
    private readonly SimulatedProcess _outside;
    private readonly Network _network;
    private readonly SimulatedCluster _cluster;
    private readonly Workload _workload;
    private readonly Surroundings _surroundings;
    private readonly HistoryChecker _checker;
    private readonly CommitChecker _commits;
    private readonly bool _isStorm;
    private bool _heals;

    private SimulationRun(int seed, PlantedBug bug, ICollection<string>? notes)
    {
        _loop = new(seed, notes);
        _isStorm = _loop.Chance(20);
        _commits = new(_loop);
        _server = new(_loop, 1);
        _outside = new(_loop, 2);
        _network = new(_loop, _server);
        var history = new History();
        var model = new StoreModel(_server.Clock, _commits, bug);
        _surroundings = new(_loop, history, _commits, bug);
        var options = Options();
        var publishes = _loop.Chance(30);
        _cluster = new(_loop, _outside, _network, model, bug, process => options with
        {
            Activities = [_surroundings.ActivityOf(process)],
            Publishers = publishes ? [_surroundings.PublisherOf(process)] : [],
        });
        _checker = new(history, model, _commits, _cluster.HasPeers);
        var longestPause = TimeSpan.FromMilliseconds(_isStorm ? 5 : 250);
        _workload = new(_loop, _outside, _cluster, model, history, _commits, longestPause);
    }

    /// <summary>Runs a seed on the present thread.</summary>
    /// <param name="notes">Takes what happens, line by line.</param>
    public static SimulationResult Of(int seed, PlantedBug bug = PlantedBug.None, ICollection<string>? notes = null)
    {
        var run = new SimulationRun(seed, bug, notes);
        Task? drive = null;
        try
        {
            run._outside.Post(() => drive = run.DriveAsync());
            run._loop.Run(() => drive is { IsCompleted: true });
            drive!.GetAwaiter().GetResult();
            run._checker.Check();
        }
        catch (Exception e)
        {
            run._commits.Violations.Add(e.ToString());
        }

        return new(seed, run._commits.Violations, run._loop.Trace, run._loop.Steps, run._commits.Commits);
    }

    private async Task DriveAsync()
    {
        var nodes = _loop.Random.Next(1, 4);
        for (var i = 0; i < nodes; i++)
        {
            await _cluster.StartAsync();
        }

        _network.Rates = Rates();
        Task[] clients =
            [.. Enumerable.Range(0, _isStorm ? 12 : 3).Select(_ => _workload.RunAsync(_loop.Random.Next(5, 11)))];
        var faults = _loop.Chance(80) ? FaultsAsync() : Task.CompletedTask;
        await Task.WhenAll(clients);
        _heals = true;
        await faults;
        _network.Rates = new();
        _surroundings.IsFaulty = false;
        if (_loop.Chance(50))
        {
            // What is left must be in the store.
            _cluster.KillAll();
            await _cluster.StartAsync();
        }

        if (_loop.Chance(80))
        {
            await _workload.ResumeAllAsync();
        }

        var since = _outside.Clock.GetTimestamp();
        do
        {
            while (_checker.WhyUnsettled() is not null)
            {
                if (_outside.Clock.GetElapsedTime(since) > LongestRest)
                {
                    return;
                }

                await PauseAsync(0.2, 0.3);
            }

            await _cluster.WaitForIdleAsync();
        }
        while (_checker.WhyUnsettled()
            is not null); // What a node has asked of another may begin when its caller has given up.
    }

    private async Task FaultsAsync()
    {
        while (!_heals)
        {
            await PauseAsync(0, 1);
            if (_cluster.Up is { Count: > 0 } up)
            {
                await FaultAsync(up[_loop.Random.Next(up.Count)]);
            }
        }
    }

    private async Task FaultAsync(SimulatedNode node)
    {
        var drawn = _loop.Random.Next(6);
        _loop.Note(() => $"fault {drawn} at node {node.Process.Number}");
        switch (drawn)
        {
            case 0 or 1:
                _cluster.Kill(node);
                await PauseAsync(0, 2);
                await _cluster.StartAsync();
                break;
            case 2:
                await _cluster.StopAsync(node);
                await _cluster.StartAsync();
                break;
            case 3:
                // As SIGSTOP and SIGCONT: when it goes on, others may have its lanes.
                node.Process.Pause();
                await PauseAsync(0, 3);
                node.Process.Resume();
                break;
            case 4:
                _network.IsAway = true;
                await PauseAsync(0, 2);
                _network.IsAway = false;
                break;
            default:
                node.Process.ClockError = _loop.Between(TimeSpan.FromSeconds(-2), TimeSpan.FromSeconds(2));
                break;
        }
    }

    private FaultRates Rates() => _isStorm ? StormRates() : _loop.Random.Next(4) switch
    {
        0 => new(),
        1 => new()
        {
            LostCalls = 5, LostAnswers = 10, LateEffects = 5, SlowCalls = 5, LostNotifications = 200,
            DoubledFlushes = 50, PeerFaults = 20,
        },
        2 => new()
        {
            LostCalls = 20, LostAnswers = 30, LateEffects = 20, SlowCalls = 10, LostNotifications = 500,
            StaleFlushes = 30, PeerFaults = 60,
        },
        _ => new() { SlowCalls = 30, DoubledFlushes = 200, LostNotifications = 1_000, PeerFaults = 100 },
    };

    private FaultRates StormRates() => _loop.Chance(50)
        ? new() { LostCalls = 50, LostAnswers = 80, PeerFaults = 100 }
        : new()
        {
            LostCalls = 40, LostAnswers = 60, LateEffects = 20, SlowCalls = 5, LostNotifications = 100,
            DoubledFlushes = 30,
            StaleFlushes = 20, PeerFaults = 20,
        };

    private WorkflowEngineOptions Options() => new()
    {
        Lanes = _loop.Random.Next(1, 5),
        MaxBatchCommands = !_isStorm && _loop.Chance(50) ? 512 : _loop.Random.Next(1, 8),
        OutageTolerance = _loop.Between(TimeSpan.Zero, TimeSpan.FromSeconds(2)),
        SignalTimeToLive = TimeSpan.FromDays(1),
        EventWindow = 64,
        Residency = Residency(),
        Cluster = new()
        {
            Lease = TimeSpan.FromSeconds(1),
            RenewalInterval = TimeSpan.FromSeconds(0.4),
            InboxInterval = TimeSpan.FromSeconds(0.25),
            AnswerTimeout = TimeSpan.FromSeconds(1.5),
        },
    };

    /// <summary>In two thirds of the seeds instances become dormant: at once, after a while, or when they are many.</summary>
    private ResidencyOptions Residency() => _loop.Random.Next(3) switch
    {
        0 => new() { IdleTime = _loop.Chance(50) ? TimeSpan.Zero : _loop.Between(TimeSpan.Zero, TimeSpan.FromSeconds(1)) },
        1 => new() { MaxInstances = _loop.Random.Next(1, 8) },
        _ => new(),
    };

    private Task PauseAsync(double least, double most) =>
        Task.Delay(_loop.Between(TimeSpan.FromSeconds(least), TimeSpan.FromSeconds(most)), _outside.Clock);
}
