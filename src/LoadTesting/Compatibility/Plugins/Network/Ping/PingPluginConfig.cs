namespace LoadTesting.Plugins.Network.Ping;

/// <summary>What is pinged, and how. Also the section <c>PingPlugin</c> of the infrastructure configuration.</summary>
public sealed class PingPluginConfig
{
    public string[] Hosts { get; set; } = [];

    /// <summary>Default 32.</summary>
    public int BufferSizeBytes { get; set; } = 32;

    /// <summary>Routers on the way at most. Default 128.</summary>
    public int Ttl { get; set; } = 128;

    public bool DontFragment { get; set; }

    /// <summary>Milliseconds. Default 1,000.</summary>
    public int Timeout { get; set; } = 1_000;

    public static PingPluginConfig CreateDefault(params string[] hosts) => new() { Hosts = hosts };

    public static PingPluginConfig CreateDefault(IEnumerable<string> hosts) => CreateDefault([.. hosts]);
}
