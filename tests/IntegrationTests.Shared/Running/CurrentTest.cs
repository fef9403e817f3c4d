namespace IntegrationTests.Shared.Running;

/// <summary>What tests say most often, imported statically by every test project.</summary>
public static class CurrentTest
{
    public static CancellationToken Cancel => TestContext.Current.CancellationToken;

    /// <summary>Fails unless the text holds every part, letter by letter.</summary>
    public static void AssertHolds(string? text, params IEnumerable<string> parts) =>
        Assert.All(parts, part => Assert.Contains(part, text, StringComparison.Ordinal));
}
