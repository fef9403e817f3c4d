namespace LoadTesting.Core.Reporting.Html;

/// <summary>What the page of a history adds to the style sheet.</summary>
internal static class TrendStyle
{
    public const string Sheet = """

        .trends { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(300px, 100%), 1fr)); gap: 14px; margin-bottom: 14px; }
        .trends figure {
            margin: 0; padding: 10px 12px 8px; background: var(--raised); border: 1px solid var(--line);
            border-radius: 4px; break-inside: avoid;
        }
        .trends figcaption { display: flex; justify-content: space-between; gap: 12px; font-size: 13.5px; overflow-wrap: anywhere; }
        .trends figcaption strong { font-weight: 600; white-space: nowrap; font-variant-numeric: tabular-nums; }
        .trends svg { display: block; width: 100%; height: auto; margin-top: 6px; }
        .trends text { font-size: 10px; fill: var(--soft); font-variant-numeric: tabular-nums; }
        .trends .end { text-anchor: end; }
        .trend-frame { stroke: var(--line); stroke-width: 1; }
        .trend-daily { fill: var(--mark); opacity: 0.75; }
        .trend-daily.newest { opacity: 1; }
        .trend-unsound { fill: none; stroke: var(--bad); }
        .trend-level { stroke: var(--mark); stroke-width: 1.6; }
        .trend-change { stroke-width: 1.4; }
        .trend-change.worse { stroke: var(--bad); }
        .trend-change.better { stroke: var(--good); stroke-dasharray: 9 3; }
        .trend-change.watch { stroke: var(--unsure); stroke-dasharray: 2 3; }
        .keys { margin-top: 26px; }
        .trend-key { margin-right: 18px; white-space: nowrap; }
        .trend-key::before {
            content: ""; display: inline-block; width: 2px; height: 12px; margin-right: 7px; vertical-align: -1px;
            background: var(--mark);
        }
        .trend-key.daily::before { width: 6px; height: 6px; border-radius: 3px; vertical-align: 1px; background: var(--mark-mid); }
        .trend-key.unsound::before { width: 6px; height: 6px; border-radius: 3px; background: none; border: 1px solid var(--bad); }
        .trend-key.level::before { width: 16px; height: 2px; vertical-align: 3px; }
        .trend-key.worse::before { background: var(--bad); }
        .trend-key.better::before { width: 0; background: none; border-left: 2px dashed var(--good); }
        .trend-key.watch::before { width: 0; background: none; border-left: 2px dotted var(--unsure); }

        """;
}
