using System.Data;
using System.Runtime.InteropServices;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using Microsoft.Extensions.Configuration;
using Serilog;
using Serilog.Core;
using Serilog.Events;
using Serilog.Formatting.Display;

namespace LoadTesting.Running;

/// <summary>What everybody in a session gets to see.</summary>
internal sealed class SessionContext : IBaseContext
{
    private readonly bool _printsToConsole;
    private int _operation;

    public SessionContext(TestInfo testInfo, ILogger logger, Metrics metrics, bool printsToConsole) =>
        (TestInfo, Logger, Metrics, _printsToConsole) = (testInfo, logger, metrics, printsToConsole);

    public TestInfo TestInfo { get; }
    public ILogger Logger { get; }
    public Metrics Metrics { get; }
    public IMetricsProvider MetricsProvider => Metrics;

    public NodeInfo GetNodeInfo() => new()
    {
        MachineName = Environment.MachineName,
        CurrentOperation = (OperationType)Volatile.Read(ref _operation),
        OS = RuntimeInformation.OSDescription,
        DotNetVersion = RuntimeInformation.FrameworkDescription,
        Processor = RuntimeInformation.ProcessArchitecture.ToString(),
        CoresCount = Environment.ProcessorCount,
        NBomberVersion = $"{typeof(SessionContext).Assembly.GetName().Version}",
    };

    public void Enter(OperationType operation) => Volatile.Write(ref _operation, (int)operation);

    /// <summary>For the log and the console.</summary>
    public void Report(string text)
    {
        Logger.Information("{Text:l}", text);
        Print(text);
    }

    public void Print(string text)
    {
        if (_printsToConsole)
        {
            Console.Out.WriteLine(text);
        }
    }
}

/// <summary>Metrics that were registered, with what was published of them.</summary>
internal sealed class Metrics(TimeProvider timeProvider) : IMetricsProvider
{
    private const int LongestHistory = 10_000;

    private readonly Dictionary<string, (string Unit, MetricType Type, List<MetricHistoryValue> History)> _metrics = [];
    private readonly Lock _gate = new();
    private readonly long _start = timeProvider.GetTimestamp();

    public void RegisterMetric(string metricName, string measureUnit, double scalingFraction, MetricType metricType)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(metricName);
        lock (_gate)
        {
            _metrics.TryAdd(metricName, (measureUnit, metricType, []));
        }
    }

    public void PublishMetric(string metricName, double value)
    {
        lock (_gate)
        {
            if (!_metrics.TryGetValue(metricName ?? "", out var metric))
            {
                throw new ArgumentException($"The metric '{metricName}' is not registered; call RegisterMetric first.", nameof(metricName));
            }

            if (metric.History.Count == LongestHistory)
            {
                var index = 0;
                metric.History.RemoveAll(_ => index++ % 2 == 1);
            }

            metric.History.Add(new MetricHistoryValue(value, timeProvider.GetElapsedTime(_start)));
        }
    }

    public IReadOnlyList<MetricStats> ToStats()
    {
        lock (_gate)
        {
            return [.. _metrics.Where(metric => metric.Value.History.Count > 0).Select(metric => new MetricStats
            {
                Name = metric.Key,
                MeasureUnit = metric.Value.Unit,
                MetricType = metric.Value.Type,
                History = [.. metric.Value.History],
                Percentiles = PercentilesOf([.. metric.Value.History.Select(entry => entry.Value).Order()]),
            })];
        }
    }

    /// <summary>A table for the reports; null where nothing was published.</summary>
    public DataSet ToTable()
    {
        var stats = ToStats();
        if (stats.Count == 0)
        {
            return null;
        }

        var table = new DataTable("metrics") { Locale = CultureInfo.InvariantCulture };
        table.Columns.AddRange([.. new[] { "metric", "unit", "mean", "50%", "75%", "95%", "99%", "max" }
            .Select(name => new DataColumn(name, typeof(string)))]);
        foreach (var metric in stats)
        {
            var p = metric.Percentiles;
            table.Rows.Add([metric.Name, metric.MeasureUnit, .. new[] { p.Mean, p.Percent50, p.Percent75, p.Percent95, p.Percent99, p.Max }
                .Select(value => value.ToString("0.##", CultureInfo.InvariantCulture))]);
        }

        var set = new DataSet { Locale = CultureInfo.InvariantCulture };
        set.Tables.Add(table);
        return set;
    }

    private static MetricPercentiles PercentilesOf(double[] sorted)
    {
        double At(double percent) => sorted[Math.Clamp((int)Math.Ceiling(sorted.Length * percent / 100) - 1, 0, sorted.Length - 1)];
        return new MetricPercentiles
        {
            Mean = sorted.Average(),
            Max = sorted[^1],
            Percent50 = At(50),
            Percent75 = At(75),
            Percent95 = At(95),
            Percent99 = At(99),
        };
    }
}

/// <summary>The logger of a session: the caller's own, else a file in the report folder, or nothing where there are no reports.</summary>
internal static class SessionLog
{
    private const string Template = "{Timestamp:yyyy-MM-dd HH:mm:ss.fff zzz} [{Level:u3}] {Message:lj}{NewLine}{Exception}";

    public static Logger Create(NBomberContext context, TestInfo testInfo, string folder)
    {
        var config = context.CreateLoggerConfig?.Invoke();
        if (config is null)
        {
            config = new LoggerConfiguration().MinimumLevel.Is(context.MinimumLogLevel ?? LogEventLevel.Debug);
            if (folder is not null)
            {
                var day = testInfo.Created.ToString("yyyyMMdd", CultureInfo.InvariantCulture);
                config.WriteTo.Sink(new FileSink(Path.Combine(folder, $"nbomber-log-{day}.txt"), Template));
            }
        }

        config.Enrich.WithProperty(nameof(TestInfo.SessionId), testInfo.SessionId)
            .Enrich.WithProperty(nameof(TestInfo.TestSuite), testInfo.TestSuite)
            .Enrich.WithProperty(nameof(TestInfo.TestName), testInfo.TestName);
        return Configured(config, context.InfraConfig?.GetSection("Serilog")).CreateLogger();
    }

    /// <summary>Levels, and files to write to, by a section as Serilog's own configuration has them.</summary>
    private static LoggerConfiguration Configured(LoggerConfiguration config, IConfigurationSection section)
    {
        if (section is null || !section.Exists())
        {
            return config;
        }

        var minimum = section.GetSection("MinimumLevel");
        if ((minimum.Value ?? minimum["Default"]) is { } level)
        {
            config.MinimumLevel.Is(LevelOf(level));
        }

        foreach (var source in minimum.GetSection("Override").GetChildren())
        {
            config.MinimumLevel.Override(source.Key, LevelOf(source.Value));
        }

        foreach (var sink in section.GetSection("WriteTo").GetChildren())
        {
            var name = sink.Value ?? sink["Name"];
            config.WriteTo.Sink(name == "File" && sink["Args:path"] is { } path
                ? new FileSink(path, sink["Args:outputTemplate"] ?? Template)
                : throw new NotSupportedException(
                    $"The infrastructure configuration writes the log to '{name}', which is not known here, only 'File' with a path is; "
                    + "use WithLoggerConfig."));
        }

        return config;
    }

    private static LogEventLevel LevelOf(string text) => Enum.TryParse<LogEventLevel>(text, ignoreCase: true, out var level)
        ? level
        : throw new ArgumentException(
            $"'{text}' is no log level, only {string.Join(", ", Enum.GetNames<LogEventLevel>())} are: Serilog.MinimumLevel.");

    /// <summary>Appends to a file, which it makes with the first event.</summary>
    private sealed class FileSink(string path, string template) : ILogEventSink, IDisposable
    {
        private readonly MessageTemplateTextFormatter _formatter = new(template, CultureInfo.InvariantCulture);
        private readonly Lock _gate = new();
        private StreamWriter _file;

        public void Emit(LogEvent logEvent)
        {
            lock (_gate)
            {
                _formatter.Format(logEvent, _file ??= Open());
            }
        }

        public void Dispose()
        {
            lock (_gate)
            {
                _file?.Dispose();
            }
        }

        private StreamWriter Open()
        {
            Directory.CreateDirectory(Path.GetFullPath(Path.Combine(path, "..")));
            return new StreamWriter(path, append: true);
        }
    }
}
