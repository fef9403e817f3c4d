namespace UnitTests.Workflow.Definitions;

/// <summary>The files under <c>fixtures/</c>.</summary>
internal static class Fixtures
{
    public static string Folder { get; } = Checkout.Fixture();

    public static byte[] Read(params string[] parts) => File.ReadAllBytes(Checkout.Fixture(parts));
}
