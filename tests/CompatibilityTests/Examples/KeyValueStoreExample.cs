using LoadTesting.Contracts;
using LoadTesting.Contracts.Stats;
using LoadTesting.CSharp;
using LoadTesting.Data;
using Microsoft.Extensions.Configuration;

namespace CompatibilityTests.Examples;

// In place of a client of Redis.
public class KeyValueStore
{
    private readonly ConcurrentDictionary<string, byte[]> _values = new();

    public int Count => _values.Count;

    public async Task StringSetAsync(string key, byte[] value)
    {
        await Task.Yield();
        _values[key] = value;
    }

    public async Task<byte[]> StringGetAsync(string key)
    {
        await Task.Yield();
        return _values[key];
    }
}

public class StoreInitScenario(KeyValueStore store)
{
    public ScenarioProps Create() => Scenario.Empty("store_init")
        .WithInit(async context =>
        {
            var settings = context.GlobalCustomSettings.Get<StoreSettings>()!;
            var payload = Data.GenerateRandomBytes(settings.RecordSize);
            foreach (var i in Enumerable.Range(0, settings.RecordsCount))
            {
                await store.StringSetAsync($"user-{i}", payload);
            }
        });
}

public class StoreReadScenario(KeyValueStore store)
{
    private StoreSettings _settings = new();

    public ScenarioProps Create() => Scenario.Create("store_read", async context =>
    {
        var data = await store.StringGetAsync($"user-{context.Random.Next(_settings.RecordsCount)}");
        return Response.Ok(sizeBytes: data.Length);
    })
    .WithInit(context =>
    {
        _settings = context.GlobalCustomSettings.Get<StoreSettings>()!;
        return Task.CompletedTask;
    });
}

public class StoreWriteScenario(KeyValueStore store)
{
    private StoreSettings _settings = new();
    private byte[] _payload = [];

    public ScenarioProps Create() => Scenario.Create("store_write", async context =>
    {
        await store.StringSetAsync($"user-{context.Random.Next(_settings.RecordsCount)}", _payload);
        return Response.Ok(sizeBytes: _payload.Length);
    })
    .WithInit(context =>
    {
        _settings = context.GlobalCustomSettings.Get<StoreSettings>()!;
        _payload = Data.GenerateRandomBytes(_settings.RecordSize);
        return Task.CompletedTask;
    });
}

public class KeyValueStoreExample
{
    public KeyValueStore Store { get; } = new();

    public NodeStats Run() => NBomberRunner
        .RegisterScenarios(
            new StoreInitScenario(Store).Create(),
            new StoreReadScenario(Store).Create(),
            new StoreWriteScenario(Store).Create())
        .LoadConfig("""
            {
              "TargetScenarios": ["store_init", "store_read", "store_write"],
              "GlobalSettings": {
                "ScenariosSettings": [
                  { "ScenarioName": "store_read", "LoadSimulationsSettings": [{ "IterationsForConstant": [4, 200] }] },
                  { "ScenarioName": "store_write", "LoadSimulationsSettings": [{ "IterationsForConstant": [2, 50] }] }
                ],
                "GlobalCustomSettings": { "RecordsCount": 30, "RecordSize": 1000 },
                "ReportFormats": []
              }
            }
            """)
        .Run();
}
