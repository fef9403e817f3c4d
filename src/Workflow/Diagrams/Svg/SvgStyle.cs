namespace Workflow.Diagrams.Svg;

/// <summary>The style sheet of every picture.</summary>
internal static class SvgStyle
{
    private const string Fonts =
        "text{font-family:Helvetica,Arial,'Liberation Sans',sans-serif}.name{font-size:13px}.detail,.label,.mark "
            + "text{font-size:11px}.caption{font-size:12px}.edge,.icon,.mark "
        + "path{fill:none;stroke-linecap:round;stroke-linejoin:round}.edge{stroke-width:1.3}"
        + ".taken{stroke-width:2.4}.exception{stroke-dasharray:5 "
        + "3}.shape,.boundary{stroke-width:1.4}.last{stroke-width:3.4}"
        + ".icon{stroke-width:1.3}.mark path{stroke-width:1.8}";

    public static readonly string Sheet =
        $"\n{Fonts}\n{Colours(Palette.Light)}\n@media (prefers-color-scheme:dark){{\n{Colours(Palette.Dark)}\n}}\n";

    /// <summary>As a class of the style sheet.</summary>
    public static string Name(NodeState state) => state.ToString().ToLowerInvariant();

    /// <summary>As people read it.</summary>
    public static string Word(NodeState state) => state == NodeState.TimedOut ? "timed out" : Name(state);

    private static string Colours(Palette palette)
    {
        var css = new StringBuilder();
        css.Append(CultureInfo.InvariantCulture, $".page{{fill:{palette.Page}}}.name,.caption{{fill:{palette.Text}}}");
        css.Append(
            CultureInfo.InvariantCulture, $".detail,.label{{fill:{palette.Muted}}}.icon{{stroke:{palette.Muted}}}");
        css.Append(CultureInfo.InvariantCulture, $".icon.solid{{fill:{palette.Muted}}}.edge{{stroke:{palette.Line}}}");
        css.Append(CultureInfo.InvariantCulture,
            $".tip{{fill:{palette.Line}}}.boundary{{fill:{palette.Page};stroke:{palette.Line}}}");
        var done = palette.States[NodeState.Done].Line;
        css.Append(CultureInfo.InvariantCulture, $".taken{{stroke:{done}}}.tip-taken{{fill:{done}}}");
        foreach (var (state, colours) in palette.States.OrderBy(state => state.Key))
        {
            var name = Name(state);
            css.Append(CultureInfo.InvariantCulture, $".{name}>.shape{{fill:{colours.Fill};stroke:{colours.Line}}}");
            css.Append(CultureInfo.InvariantCulture, $".mark.{name}>circle,.mark.{name}>rect{{fill:{colours.Line}}}");
            css.Append(CultureInfo.InvariantCulture,
                $".mark.{name}>path{{stroke:{colours.Mark}}}.mark.{name}>text{{fill:{colours.Mark}}}");
        }

        return css.ToString();
    }
}
