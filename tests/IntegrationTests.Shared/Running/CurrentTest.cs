namespace IntegrationTests.Shared.Running;

/// <summary>What every test takes from the one that runs, imported statically by every test project.</summary>
public static class CurrentTest
{
    public static CancellationToken Cancel => TestContext.Current.CancellationToken;
}
