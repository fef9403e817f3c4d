using System.Xml;

namespace Workflow.Abstractions.Building;

/// <summary>A duration of ISO 8601, e.g. <c>PT30S</c>, or, in a delay, an expression that gives one. Texts and
/// <see cref="TimeSpan"/> convert by themselves.</summary>
public readonly record struct Duration(string Text)
{
    public static implicit operator Duration(string text) => new(text);
    public static implicit operator Duration(TimeSpan duration) => new(XmlConvert.ToString(duration));

    public override string ToString() => Text;
}
