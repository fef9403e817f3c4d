namespace IntegrationTests.Network;

/// <summary>How a network ends connections.</summary>
public enum Cut
{
    /// <summary>In order, as a process does that exits.</summary>
    Closed,

    /// <summary>By a reset, as a machine does that has restarted.</summary>
    Reset,

    /// <summary>Not at all: nothing arrives any more, as behind a firewall that forgot the connection.</summary>
    Silent,
}
