using System.Data;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.Core.Reporting;
using BuiltIn = LoadTesting.Core.Load;

namespace LoadTesting.Running;

/// <summary>One run of the registered scenarios, with its sinks, plugins and reports.</summary>
internal sealed class Session
{
    /// <summary>Replaces the load if all scenarios are empty, which the built-in engine refuses.</summary>
    private static readonly BuiltIn.ScenarioProps s_nothing = BuiltIn.Scenario
        .Create("nothing to load", _ => Task.FromResult<BuiltIn.IResponse>(BuiltIn.Response.Ok()))
        .WithLoadSimulations(BuiltIn.Simulation.IterationsForConstant(1, 1));

    private readonly NBomberContext _context;
    private readonly TimeProvider _timeProvider;
    private readonly TestInfo _testInfo;
    private readonly Metrics _metrics;
    private readonly IReadOnlyList<ReportFormat> _formats;
    private readonly string _folder;
    private readonly string _fileName;
    private readonly ReportFolder _reports;
    private readonly TimeSpan _interval;

    /// <exception cref="ArgumentException">The session cannot be run; the message lists everything that is
    /// wrong.</exception>
    public Session(NBomberContext context, TimeProvider timeProvider)
    {
        (_context, _timeProvider) = (context, timeProvider);
        var (settings, now) = (context.Settings, timeProvider.GetUtcNow().UtcDateTime);
        _testInfo = new TestInfo
        {
            SessionId = context.SessionId ?? string.Create(
                CultureInfo.InvariantCulture, $"{now:yyyy-MM-dd_HH.mm.ss}_session_{Guid.NewGuid().ToString("N")[..8]}"),
            TestSuite = settings.TestSuite ?? context.TestSuite,
            TestName = settings.TestName ?? context.TestName,
            Created = now,
        };
        _metrics = new Metrics(timeProvider);
        _formats = settings.ReportFormats ?? context.Reporting.Formats;
        _folder = settings.ReportFolder ?? context.Reporting.FolderName ?? Path.Combine("reports", _testInfo.SessionId);
        _fileName = settings.ReportFileName ?? context.Reporting.FileName
            ?? string.Create(CultureInfo.InvariantCulture, $"nbomber_report_{now:yyyy-MM-dd--HH-mm-ss}");
        _reports = new ReportFolder(_folder, _fileName);
        _interval = settings.ReportingInterval ?? context.Reporting.ReportingInterval;
        var violations = Violations().ToArray();
        if (violations.Length > 0)
        {
            throw new ArgumentException($"The session cannot be run: {string.Join(" ", violations)}");
        }
    }

    /// <summary>The scenarios to run; null for all. Command line and code take precedence over the file.</summary>
    private IReadOnlyList<string> Targets => _context.TargetScenarios ?? _context.Settings.TargetScenarios;

    internal bool PrintsToConsole =>
        _context.PrintsByArgument ?? _context.Settings.DisplayConsoleMetrics ?? _context.PrintsToConsole;

    private bool StopsForcibly => _context.Settings.EnableStopTestForcibly ?? _context.EnableStopTestForcibly;

    /// <exception cref="ArgumentException">The reports cannot be written; nothing was started.</exception>
    public async Task<NodeStats> RunAsync()
    {
        if (_formats.Count > 0 && _reports.Refusal(_formats) is { } refusal)
        {
            throw new ArgumentException($"The session cannot be run: {refusal}");
        }

        using var logger = SessionLog.Create(_context, _testInfo, _formats.Count > 0 ? _folder : null);
        var session = new SessionContext(_testInfo, logger, _metrics, PrintsToConsole);
        session.Report($"Session {_testInfo.SessionId} of test '{_testInfo.TestName}' starts.");
        var scenarios = Scenarios(session);
        var participants = new Participants(_context, session, _interval);
        await using var disposal = participants.ConfigureAwait(false);
        await participants.StartAsync([.. scenarios.Where(scenario => !scenario.IsEmpty).Select((scenario, index) =>
            new ScenarioStartInfo(scenario.Name, index))]).ConfigureAwait(false);

        var thresholds = scenarios.Where(
            scenario => !scenario.IsEmpty).SelectMany(scenario => scenario.Thresholds.Select(threshold =>
            new ThresholdWatch(scenario.Name, threshold))).ToArray();
        var measured = await LoadAsync(session, scenarios, participants, thresholds).ConfigureAwait(false);

        session.Enter(OperationType.Complete);
        var stats = StatsMapping.Of(measured, scenarios, failsUnfinished: !StopsForcibly);
        (stats.TestInfo, stats.NodeInfo) = (_testInfo, session.GetNodeInfo());
        stats.Thresholds =
            [.. thresholds.Select(threshold => threshold.Conclude(stats.ScenarioStats.Get(threshold.ScenarioName)))];
        stats.PluginStats = [.. await participants.GetStatsAsync(stats).ConfigureAwait(false), .. OfMetrics()];
        Write(session, stats, participants.Plugins);
        await participants.SaveFinalAsync(stats).ConfigureAwait(false);
        return stats;
    }

    private async Task<BuiltIn.LoadResult> LoadAsync(
        SessionContext session, IReadOnlyList<RunningScenario> scenarios, Participants participants,
        ThresholdWatch[] thresholds)
    {
        var isEmpty = scenarios.Count > 0 && scenarios.All(scenario => scenario.IsEmpty);
        var options = new BuiltIn.LoadOptions
        {
            CompletionTimeout =
                StopsForcibly
                    ? TimeSpan.FromSeconds(1) : _context.Settings.CompletionTimeout ?? _context.CompletionTimeout,
            CancelsAtScheduleEnd = true,
            Interval = _interval,
            OnInterval = isEmpty ? null : interval =>
            {
                var stats = StatsMapping.Of(interval, scenarios);
                participants.Queue(stats);
                if (!interval.IsLast && thresholds.Select(threshold => threshold.Check(stats, interval.To)).ToArray()
                    .FirstOrDefault(reason => reason is not null) is { } reason)
                {
                    session.Report($"The test is stopped early: {reason}");
                    interval.StopCurrentTest(reason);
                }
            },
        };
        var measured = await new BuiltIn.LoadRunner(_timeProvider).RunAsync(
            [.. scenarios.Select(scenario => scenario.ToBuiltIn()),
                .. isEmpty ? [s_nothing] : Array.Empty<BuiltIn.ScenarioProps>()],
            options).ConfigureAwait(false);
        await participants.DrainAsync().ConfigureAwait(false);
        return isEmpty ? measured with { Scenarios = [] } : measured;
    }

    /// <summary>The scenarios to run, with loads scaled by weight.</summary>
    private IReadOnlyList<RunningScenario> Scenarios(SessionContext session)
    {
        var scenarios = _context.RegisteredScenarios
            .Where(scenario => Targets is null || Targets.Contains(scenario.ScenarioName))
            .Select(scenario => new RunningScenario(
                scenario, SettingsOf(scenario.ScenarioName), _context.Settings.GlobalCustomSettings, session))
            .ToArray();
        var weighted = scenarios.Where(scenario => scenario.Weight is not null && !scenario.IsEmpty).ToArray();
        var weights = weighted.Sum(scenario => (long)(scenario.Weight ?? 0));
        foreach (var scenario in weighted)
        {
            scenario.Scale((long)weighted.Length * (scenario.Weight ?? 0), weights);
        }

        return scenarios;
    }

    private ScenarioSettings SettingsOf(string name) =>
        _context.Settings.Scenarios.FirstOrDefault(settings => settings.ScenarioName == name);

    private DataSet[] OfMetrics() => _metrics.ToTable() is { } table ? [table] : [];

    /// <summary>Writes the reports. Failures are reported and affect neither the result nor the sinks.</summary>
    private void Write(SessionContext session, NodeStats stats, IReadOnlyList<IWorkerPlugin> plugins)
    {
        var advice = Tried(session, "The analyzer of hints", [], () =>
            _context.Settings.EnableHintsAnalyzer ?? _context.EnableHintsAnalyzer
                ? HintsAnalyzer.Analyze(stats, plugins) : []);
        var reported = Tried(session, "The finalizer of the reports", stats.ScenarioStats, () =>
            _context.Reporting.Finalizer is { } finalizer
                ? finalizer(ReportData.Create(stats.ScenarioStats)).ScenarioStats
                : stats.ScenarioStats);
        var report = Tried(session, "The report", null, () => new SessionReport(stats, reported, advice));
        if (report is null)
        {
            return;
        }

        session.Print(report.Render(ReportFormat.Txt));
        stats.ReportFiles = [.. _formats.Distinct().Select(format => Tried(session, $"The report {_reports.PathOf(format)}", null, () =>
        {
            var file = new ReportFile(_reports.PathOf(format), format, report.Render(format));
            _reports.Write(file);
            return file;
        })).OfType<ReportFile>()];
        if (stats.ReportFiles.Length > 0)
        {
            session.Report($"Reports are in {_reports.FullPath}");
        }
    }

    private static T Tried<T>(SessionContext session, string what, T otherwise, Func<T> make)
    {
        try
        {
            return make();
        }
        catch (Exception exception)
        {
            session.ReportFailure(exception, $"{what} failed");
            return otherwise;
        }
    }

    private IEnumerable<string> Violations()
    {
        var names = _context.RegisteredScenarios.Select(scenario => scenario.ScenarioName).ToArray();
        var registered = string.Join(", ", names.Select(one => $"'{one}'"));
        foreach (var name in (Targets ?? []).Except(names))
        {
            yield return $"The target scenario '{name}' is not registered, only {registered}.";
        }

        foreach (var name in _context.Settings.Scenarios.Select(settings => settings.ScenarioName).Except(names))
        {
            yield return $"The configuration has settings of a scenario '{name}', which is not registered, only {registered} are.";
        }

        foreach (var name in _context.Settings.Scenarios.GroupBy(settings => settings.ScenarioName)
            .Where(group => group.Count() > 1))
        {
            yield return $"The configuration has the scenario '{name.Key}' {name.Count()} times.";
        }

        foreach (var scenario in _context.RegisteredScenarios.Where(scenario =>
            scenario.Run is null && scenario.Init is null && scenario.Clean is null))
        {
            yield return $"Scenario '{scenario.ScenarioName}' is empty; give it WithInit or WithClean.";
        }

        foreach (var scenario in _context.RegisteredScenarios)
        {
            if ((SettingsOf(scenario.ScenarioName)?.Weight ?? scenario.Weight) is < 1 and var weight)
            {
                yield return $"Scenario '{scenario.ScenarioName}' has the weight {weight}; it is at least 1.";
            }
        }

        if (_fileName.Length == 0 || _fileName.IndexOfAny(Path.GetInvalidFileNameChars()) >= 0)
        {
            yield return $"The report's file name '{VisibleText.Line(_fileName)}' is none: it is not empty and names "
                + "no folder (WithReportFolder does).";
        }

        if (string.IsNullOrWhiteSpace(_folder))
        {
            yield return "The report's folder is empty.";
        }
    }
}

/// <summary>Gives hints about information missing from the results.</summary>
internal static class HintsAnalyzer
{
    public static (string Source, string Hint)[] Analyze(NodeStats stats, IReadOnlyList<IWorkerPlugin> plugins) =>
    [
        .. stats.ScenarioStats.SelectMany(Of),
        .. plugins.SelectMany(plugin => (plugin.GetHints() ?? []).Select(hint => (plugin.PluginName, hint))),
    ];

    private static IEnumerable<(string Source, string Hint)> Of(ScenarioStats scenario)
    {
        foreach (var (name, side) in scenario.StepStats.Select(step => ($"Step '{step.StepName}'", step.Ok))
            .Prepend(("It", scenario.Ok)))
        {
            if (side.Request.Count > 0 && side.DataTransfer.AllBytes == 0)
            {
                yield return (
                    scenario.ScenarioName, $"{name} names no size: pass sizeBytes to Response.Ok to see what is transferred.");
            }

            if (side.Request.Count > 0 && side.StatusCodes.Length == 0)
            {
                yield return (
                    scenario.ScenarioName, $"{name} names no status code: pass statusCode to Response.Ok to see what was answered.");
            }
        }
    }
}
