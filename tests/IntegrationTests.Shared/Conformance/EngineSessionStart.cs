namespace IntegrationTests.Shared.Conformance;

public static class EngineSessionStart
{
    /// <summary>Registers definitions with an engine as soon as it has started.</summary>
    public static async Task<EngineSession> WithAsync(this Task<EngineSession> starting, params string[] definitions)
    {
        var session = await starting;
        foreach (var definition in definitions)
        {
            await session.RegisterAsync(definition);
        }

        return session;
    }
}
