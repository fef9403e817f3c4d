using IntegrationTests.Shared.Backends;
using IntegrationTests.Shared.Running;
using LoadTesting.Core.Load;
using LoadTesting.Core.Reporting;
using LoadTesting.Core.Results;
using PerformanceTesting.Backends;
using PerformanceTesting.Processes;
using Xunit;

namespace PerformanceTests.Running;

/// <summary>The results of this test process: one directory, made when the first scenario has something to write.</summary>
public sealed class RunFixture : IAsyncLifetime
{
    private const string ResultsVariable = "WORKFLOW_PERF_RESULTS";
    private readonly SemaphoreSlim _gate = new(1, 1);
    private readonly RunCeilings _ceilings = new();
    private ResultWriter? _writer;
    private PerformanceVariables? _variables;

    /// <summary>The repository, where definitions are read and results go.</summary>
    public static string Root => Checkout.Root;

    /// <summary>What the environment asks for.</summary>
    public PerformanceVariables Variables =>
        _variables ?? throw new InvalidOperationException("The fixture is not initialised; take it by a constructor parameter of the test class.");

    /// <summary>What the broker carries without an engine, measured before its first scenario, in words.</summary>
    public string TransportAlone => _ceilings.TransportAlone;

    /// <summary>The broker that carries events, null where they take the hosting's own way; skips the test where there is none.</summary>
    /// <param name="catalog">Has the brokers.</param>
    /// <param name="transport">What carries the events; what the environment says when null.</param>
    /// <param name="cancellationToken">Ends the wait.</param>
    public async Task<RabbitMqServer?> BrokerAsync(BackendCatalog catalog, EventTransport? transport, CancellationToken cancellationToken) =>
        (transport ?? Variables.Transport) == EventTransport.RabbitMq ? (RabbitMqServer)await catalog.RequireServerOrSkipAsync(ServerKind.RabbitMq, cancellationToken) : null;

    /// <summary>Where results go; what lies below the profile, its hosting and the broker is measured before their first scenario.</summary>
    public async Task<ResultWriter> WriterAsync(
        BackendCatalog catalog, BackendProfile profile, HostingKind hosting, RabbitMqServer? broker, CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken);
        try
        {
            if (_writer is null)
            {
                var results = Environment.GetEnvironmentVariable(ResultsVariable) is { Length: > 0 } chosen
                    ? Path.GetFullPath(chosen, Root)
                    : Path.Combine(Root, "TestResults", "workflow-performance");
                _writer = await ResultWriter.CreateAsync(new() { ResultsDirectory = results, RepositoryDirectory = Root }, cancellationToken);
                await DescribeAbsentAsync(catalog, _writer, cancellationToken);
            }

            if (!_writer.Run.Environment.Backends.ContainsKey(profile.Name))
            {
                await _writer.SetBackendAsync(profile.Name, await DescribeAsync(catalog, profile, cancellationToken), cancellationToken);
            }

            if (await _ceilings.AddAsync(catalog, profile, hosting, broker, cancellationToken) is { } ceilings)
            {
                await _writer.SetCeilingsAsync(profile.Name, ceilings, cancellationToken);
            }

            return _writer;
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <summary>The load engine asked for, with a folder for reports of its own beside the result of that name; null for the built-in one.</summary>
    internal ILoadEngine? LoadEngine(ResultWriter writer, string resultName) =>
        Variables.LoadEngine?.Invoke(Path.Combine(writer.DirectoryPath, LoadEngines.NBomber, resultName));

    public ValueTask InitializeAsync()
    {
        _variables = PerformanceVariables.FromEnvironment();
        return ValueTask.CompletedTask;
    }

    public ValueTask DisposeAsync()
    {
        _writer?.Dispose();
        _gate.Dispose();
        return ValueTask.CompletedTask;
    }

    private static async Task DescribeAbsentAsync(BackendCatalog catalog, ResultWriter writer, CancellationToken cancellationToken)
    {
        foreach (var availability in (await catalog.ProbeAllAsync(cancellationToken)).Where(availability => !availability.IsAvailable))
        {
            await writer.AddNotExercisedAsync(new(availability.Profile.Name, availability.Reason, availability.HowToEnable), cancellationToken);
        }
    }

    private static async Task<BackendInfo> DescribeAsync(BackendCatalog catalog, BackendProfile profile, CancellationToken cancellationToken)
    {
        if (profile == BackendProfile.Memory)
        {
            return new BackendInfo { Product = "memory", Durability = "not durable: memory", Provision = "embedded" };
        }

        var server = await catalog.ServerAsync(profile.Servers[0], cancellationToken);
        var settings = await server.ReadSettingsAsync(cancellationToken);
        var info = new BackendInfo
        {
            Product = server.Kind.Product,
            Version = settings.Version,
            Durability = settings.Durability,
            Provision = server.Description,
            Settings = settings.Settings,
        };
        return profile.HintsOverRedis ? await WithRedisAsync(info, await catalog.ServerAsync(ServerKind.Redis, cancellationToken), cancellationToken) : info;
    }

    /// <summary>The durability is the database's: nothing is kept in Redis, and losing a notification loses no work.</summary>
    private static async Task<BackendInfo> WithRedisAsync(BackendInfo info, BackendServer redis, CancellationToken cancellationToken)
    {
        var settings = await redis.ReadSettingsAsync(cancellationToken);
        var named = settings.Settings.Select(setting => KeyValuePair.Create($"redis.{setting.Key}", setting.Value));
        return info with
        {
            Settings = info.Settings.Concat(named).Append(new("redis.version", settings.Version)).ToDictionary(StringComparer.Ordinal),
            Notes = [.. info.Notes, $"Notifications over Redis {settings.Version}, {redis.Description}, by itself {settings.Durability}; it keeps nothing of the workflows."],
        };
    }
}
