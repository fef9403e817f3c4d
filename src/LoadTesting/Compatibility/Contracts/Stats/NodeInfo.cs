namespace LoadTesting.Contracts.Stats;

/// <summary>Where it runs.</summary>
public sealed class NodeInfo
{
    public static NodeInfo Empty => new();

    public string MachineName { get; set; } = "";
    public NodeType NodeType { get; set; }
    public OperationType CurrentOperation { get; set; }
    public string OS { get; set; } = "";
    public string DotNetVersion { get; set; } = "";
    public string Processor { get; set; } = "";
    public int CoresCount { get; set; }

    /// <summary>The version of this library.</summary>
    public string NBomberVersion { get; set; } = "";
}
