import java.io.File;
import java.nio.charset.StandardCharsets;

import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataHandle;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.criteria.RecursiveCLDiversity;
import org.deidentifier.arx.metric.Metric;

/**
 * Anonymizes table.csv of a directory by ARX, with the hierarchies beside it.
 *
 * Arguments: the directory, k, l (0: no l), global or local, the file to write. A share of at most
 * 1/3 is recursive (c, l)-diversity with l = 2 and c = 1/2: r_1 < c (r_2 + r_3 + ...); c is a little
 * more, so that a share of exactly 1/3 is allowed. Local recoding is that of ARX's Example38.
 */
public class Arx {
    public static void main(String[] a) throws Exception {
        File folder = new File(a[0]);
        int k = Integer.parseInt(a[1]), l = Integer.parseInt(a[2]);
        boolean local = a[3].equals("local");
        Data data = Data.create(new File(folder, "table.csv"), StandardCharsets.UTF_8, ',');
        DataHandle in = data.getHandle();
        String sensitive = in.getAttributeName(in.getNumColumns() - 1);
        for (int c = 0; c < in.getNumColumns() - 1; c++) {
            String name = in.getAttributeName(c);
            data.getDefinition().setAttributeType(name,
                AttributeType.Hierarchy.create(new File(folder, name + ".csv"), StandardCharsets.UTF_8, ';'));
        }
        ARXConfiguration config = ARXConfiguration.create();
        config.addPrivacyModel(new KAnonymity(k));
        if (l == 0) {
            data.getDefinition().setAttributeType(sensitive, AttributeType.INSENSITIVE_ATTRIBUTE);
        } else {
            data.getDefinition().setAttributeType(sensitive, AttributeType.SENSITIVE_ATTRIBUTE);
            config.addPrivacyModel(new RecursiveCLDiversity(sensitive, 1d / (l - 1) + 1e-5, 2));
        }
        config.setSuppressionLimit(local ? 1d : 0.05);
        config.setQualityModel(local ? Metric.createLossMetric(0) : Metric.createLossMetric());
        ARXResult result = new ARXAnonymizer().anonymize(data, config);
        DataHandle out = result.getOutput();
        if (out == null) throw new IllegalStateException("ARX finds no solution");
        if (local) result.optimizeIterativeFast(out, 1d / in.getNumRows());
        out.save(new File(a[4]), ',');
    }
}
