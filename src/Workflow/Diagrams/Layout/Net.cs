namespace Workflow.Diagrams.Layout;

/// <summary>
/// Edges that run together between two layers: upright lines from above and from below that meet on a level one, its
/// track.
/// </summary>
internal sealed class Net
{
    /// <summary>Its place among the nets of its channel that have a track.</summary>
    public int Id { get; set; }

    public List<double> Tops { get; } = [];
    public List<double> Bottoms { get; } = [];
    public double Low { get; private set; }
    public double High { get; private set; }
    public bool IsStraight => High - Low < 0.5;

    /// <summary>Counted from above; -1 where the net is straight.</summary>
    public int Track { get; set; } = -1;

    /// <summary>The lower part of a net that needs two tracks, with an upright line between them.</summary>
    public Net? Rest { get; set; }

    public double RestAt { get; set; }

    /// <summary>Where upright lines join it to other parts of the same net.</summary>
    public List<double> Joints { get; } = [];

    /// <summary>The part that ends in the layer below.</summary>
    public Net Lowest => Rest?.Lowest ?? this;

    public IEnumerable<double> Ends => Tops.Concat(Bottoms).Concat(Joints);

    /// <summary>To be called when its ends have changed.</summary>
    public void Measure() => (Low, High) = (Ends.Min(), Ends.Max());
}
