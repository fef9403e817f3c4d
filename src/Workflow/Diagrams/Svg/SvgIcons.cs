namespace Workflow.Diagrams.Svg;

/// <summary>
/// Icons as path data: 16 by 16 in boxes, 18 by 18 in circles and diamonds; the marks around the middle.
/// </summary>
internal static class SvgIcons
{
    public const string SmallClock = "M0 -5.5a5.5 5.5 0 1 1 -0.01 0zM0 -3v3l2 1.5";
    public const string SmallEnvelope = "M-5 -3.5h10v7h-10zM-5 -3.5l5 4l5 -4";
    public const string SmallFlash = "M-3.5 4l2.5 -8l2 4.5l2.5 -4.5l-2.5 8l-2 -4.5z";

    public static string? Of(NodeKind kind) => kind switch
    {
        NodeKind.Set => "M2.5 3.5h11M2.5 8h11M2.5 12.5h6.5",
        NodeKind.WaitSignal => "M1.5 3.5h13v9.5h-13zM1.5 3.5l6.5 5.5l6.5 -5.5",
        NodeKind.Task => "M8 7.5a3 3 0 1 0 -0.01 0zM2.5 14.5c0 -6.5 11 -6.5 11 0z",
        NodeKind.Invoke =>
            "M8 5.2a2.8 2.8 0 1 0 0.01 0zM8 1.2v2M8 12.8v2M1.2 8h2M12.8 8h2M3.2 3.2l1.4 1.4M11.4 11.4l1.4 1.4"
            + "M12.8 3.2l-1.4 1.4M4.6 11.4l-1.4 1.4",
        NodeKind.Call => "M2 2h12v12h-12zM8 5v6M5 8h6",
        NodeKind.CallEach => "M2 1h12v8.5h-12zM8 3v4.5M5.8 5.2h4.4M5 11.5v4M8 11.5v4M11 11.5v4",
        NodeKind.SubProcess => "M1 3h14v10h-14zM3.5 6.5h3v3h-3zM9.5 6.5h3v3h-3zM6.5 8h3",
        NodeKind.Other => "M3 3h10v10h-10z",
        NodeKind.Delay => "M9 0.5a8.5 8.5 0 1 1 -0.01 0zM9 4v5l3.5 2.5",
        NodeKind.Raise => "M9 2.5l6.5 11h-13z",
        NodeKind.Fail => "M3 14.5l3.5 -12l5 6.5l3.5 -6.5l-3.5 12l-5 -6.5z",
        NodeKind.Terminate => "M9 1a8 8 0 1 1 -0.01 0z",
        NodeKind.Decide => "M4.5 4.5l9 9M13.5 4.5l-9 9",
        NodeKind.Fork or NodeKind.Join => "M9 1.5v15M1.5 9h15",
        NodeKind.Inclusive => "M9 2a7 7 0 1 1 -0.01 0z",
        NodeKind.WaitFirst => "M9 1a8 8 0 1 1 -0.01 0zM9 5l4 3l-1.5 4.5h-5l-1.5 -4.5z",
        NodeKind.Signal => "M2.5 4.5h13v9h-13zM2.5 4.5l6.5 5l6.5 -5",
        _ => null,
    };

    public static bool IsSolid(NodeKind kind) => kind is NodeKind.Raise or NodeKind.Fail or NodeKind.Terminate;

    public static string Mark(NodeState state) => state switch
    {
        NodeState.Done => "M-3.5 0.2l2.5 2.8l4.5 -5.5",
        NodeState.Active => "M-2 -3.5l5 3.5l-5 3.5z",
        NodeState.Waiting => "M-2 -3.2v6.4M2 -3.2v6.4",
        NodeState.TimedOut => "M0 -4v4l3 2",
        NodeState.Cancelled => "M-3.5 0h7",
        _ => "M-3 -3l6 6M-3 3l6 -6",
    };
}
