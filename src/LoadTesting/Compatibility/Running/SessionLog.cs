using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.Core.Reporting;
using Microsoft.Extensions.Configuration;
using Serilog;
using Serilog.Core;
using Serilog.Debugging;
using Serilog.Events;
using Serilog.Formatting.Display;

namespace LoadTesting.Running;

/// <summary>
/// The logger of a session: the caller's own, else a file in the report folder, or nothing where there are no reports.
/// </summary>
internal static class SessionLog
{
    private const string Template =
        "{Timestamp:yyyy-MM-dd HH:mm:ss.fff zzz} [{Level:u3}] {Message:lj}{NewLine}{Exception}";

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
                    $"The infrastructure configuration writes the log to '{name}', which is not known here, only "
                        + "'File' with a path is; use WithLoggerConfig."));
        }

        return config;
    }

    private static LogEventLevel LevelOf(string text) =>
        Enum.TryParse<LogEventLevel>(text, ignoreCase: true, out var level)
        ? level
        : throw new ArgumentException(
            $"'{text}' is not a log level, only "
                + $"{string.Join(", ", Enum.GetNames<LogEventLevel>())} are: Serilog.MinimumLevel.");

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
                using var text = new StringWriter(CultureInfo.InvariantCulture);
                _formatter.Format(logEvent, text);
                (_file ??= Open()).Write(VisibleText.Of(text.ToString()));
            }
        }

        public void Dispose()
        {
            lock (_gate)
            {
                try
                {
                    _file?.Dispose();
                }
                catch (IOException exception)
                {
                    // A full disk: the result of the session is not lost with its log.
                    SelfLog.WriteLine("The log {0} is not complete: {1}", path, exception.Message);
                }
            }
        }

        private StreamWriter Open()
        {
            Directory.CreateDirectory(Path.GetFullPath(Path.Combine(path, "..")));
            return new StreamWriter(path, append: true);
        }
    }
}
