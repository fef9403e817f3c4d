using System.Runtime.InteropServices;
using Foundation;
using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.Core.Reporting;
using Serilog;

namespace LoadTesting.Running;

/// <summary>The context of a session, shared by scenarios, sinks and plugins.</summary>
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

    /// <summary>Writes to the log and the console.</summary>
    public void Report(string text)
    {
        Logger.Information("{Text:l}", text);
        Print(text);
    }

    /// <summary>Writes a failure and its reason to the log and the console.</summary>
    public void ReportFailure(Exception exception, string text)
    {
        Logger.Error(exception, "{Text:l}", text);
        Print($"{text}: {UserMessage.Of(exception)}");
    }

    public void Print(string text)
    {
        if (_printsToConsole)
        {
            Console.Out.WriteLine(VisibleText.Of(text));
        }
    }
}
